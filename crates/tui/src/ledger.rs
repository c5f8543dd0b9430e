//! Everything the view was reported: frames, marks, warnings, and the count of what went wrong.

use std::collections::{BTreeMap, VecDeque};

use isotherm_analysis::{Digest, History, RankedRemark, Story};
use isotherm_frame::{
    Anomaly, AnomalyKind, Frame, Gap, Histogram, Mark, Nanos, OpenWaits, Quality, Scheme, Series,
    Timestamp, visible_char,
};

/// The largest number of marks and of messages kept.
const MOST_MARKS: usize = 4_096;
const MOST_MESSAGES: usize = 64;

/// How long the answer to a key is shown before what came after it.
const ANSWERED: Nanos = Nanos::from_millis(10_000);

/// How long a message is shown if no key says earlier that it has been read.
const READ: Nanos = Nanos::from_millis(60_000);

/// Something to tell the reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Message {
    pub(super) text: String,
    pub(super) warns: bool,
}

/// A message that has not been read yet.
#[derive(Default)]
struct Unread {
    /// Since when it is shown.
    since: Option<Timestamp>,
}

pub(super) struct Ledger {
    /// The frames, with the time of waits that go on as far as it is known.
    pub(super) history: History,
    /// The frames alone, while there are waits that go on.
    settled: Option<History>,
    /// The waits that go on.
    pub(super) open: OpenWaits,
    /// Up to when their time is in the history.
    shown_to: Option<Timestamp>,
    /// The frames pushed so far.
    pub(super) frames_pushed: u64,
    /// Series in the order of the tabs and their keys: those that waited most first, as of the last
    /// [`Ledger::sort_by_time_waited`], and behind them what came since.
    pub(super) order: Vec<Series>,
    pub(super) marks: VecDeque<Mark>,
    /// The latest messages, newest last.
    messages: VecDeque<Message>,
    /// The newest message, or why it ended, if it has not been read yet.
    unread: Option<Unread>,
    /// The answer to what a key asked for, and since when it is shown.
    answer: Option<(Message, Option<Timestamp>)>,
    /// Records that could not be read.
    pub(super) rejected: u64,
    /// Events that something outside the frames lost (those that frames report are added).
    pub(super) lost_elsewhere: u64,
    /// Events that frames say were lost.
    lost: u64,
    last_gap: Option<(Gap, Timestamp)>,
    pub(super) gaps: u64,
    pub(super) resets: u64,
    pub(super) late: u64,
    /// Why nothing more will come, once that is so.
    pub(super) ended: Option<String>,
}

impl Ledger {
    pub(super) fn new(most_bytes: usize) -> Ledger {
        Ledger {
            history: History::new(most_bytes),
            settled: None,
            open: OpenWaits::default(),
            shown_to: None,
            frames_pushed: 0,
            order: Vec::new(),
            marks: VecDeque::new(),
            messages: VecDeque::new(),
            unread: None,
            answer: None,
            rejected: 0,
            lost_elsewhere: 0,
            lost: 0,
            last_gap: None,
            gaps: 0,
            resets: 0,
            late: 0,
            ended: None,
        }
    }

    pub(super) fn push(&mut self, frame: &Frame) {
        let known = self.settled.as_ref().unwrap_or(&self.history).knows(&frame.series);
        if !known && !self.order.contains(&frame.series) {
            self.order.push(frame.series.clone());
        }
        match frame.quality {
            Quality::Gap(gap) => self.gap(gap, frame.end),
            Quality::Lost(events) => self.lost = self.lost.saturating_add(events),
            Quality::Complete | Quality::Partial(_) | Quality::Amendment => {}
        }
        self.frames_pushed += 1;
        self.history.push(frame);
        if let Some(settled) = &mut self.settled {
            settled.push(frame);
        }
    }

    /// Takes the waits that go on; whether the view is another one now. Their time is shown in the
    /// intervals in which it was waited, and is not kept: the event has it once it ends.
    pub(super) fn open_waits(&mut self, open: OpenWaits) -> bool {
        let base = self.settled.as_ref().unwrap_or(&self.history);
        let known_to = base.latest();
        let is_same = open.waits == self.open.waits
            && self.shown_to == known_to
            && open.at.since(self.open.at) < Nanos::SECOND;
        if is_same || (open.waits.is_empty() && self.settled.is_none()) {
            return false;
        }
        let base = self.settled.take().unwrap_or_else(|| self.history.clone());
        self.history = base.clone();
        if let Some((from, to)) = base.earliest().zip(known_to) {
            for wait in &open.waits {
                if !self.history.knows(&wait.series) {
                    self.history.push(&silent(&wait.series, (from, to)));
                }
                if !self.order.contains(&wait.series) {
                    self.order.push(wait.series.clone());
                }
            }
            open.so_far(from, to).iter().for_each(|frame| self.history.push(frame));
        }
        self.settled = (!open.waits.is_empty()).then_some(base);
        self.frames_pushed += 1;
        (self.open, self.shown_to) = (open, known_to);
        true
    }

    /// Puts the series that waited most first. While more is to come, places change only where the difference is clear,
    /// so that two that wait alike do not change them all the time.
    pub(super) fn sort_by_time_waited(&mut self) {
        const CLEARLY: f64 = 1.2;
        let factor = if self.ended.is_some() { 1.0 } else { CLEARLY };
        let waited =
            |series: &Series| self.history.total(series).map_or(0.0, |total| total.waited.seconds);
        let mut sorted: Vec<(f64, Series)> = Vec::with_capacity(self.order.len());
        for series in std::mem::take(&mut self.order) {
            let waited = waited(&series);
            let behind = sorted.iter().rposition(|(before, _)| waited <= factor * before);
            sorted.insert(behind.map_or(0, |place| place + 1), (waited, series));
        }
        self.order = sorted.into_iter().map(|(_, series)| series).collect();
    }

    /// How many of these series wait now, as far as that is known before they end.
    pub(super) fn waiting_now(&self, members: &[Series]) -> usize {
        self.open.waits.iter().filter(|wait| members.contains(&wait.series)).count()
    }

    /// Counts a gap, once however many series it concerns.
    fn gap(&mut self, gap: Gap, end: Timestamp) {
        if self.last_gap.replace((gap, end)) == Some((gap, end)) {
            return;
        }
        match gap {
            Gap::Reset => self.resets += 1,
            Gap::ClockBack | Gap::SourceAway => self.gaps += 1,
        }
    }

    pub(super) fn anomaly(&mut self, anomaly: &Anomaly) {
        match anomaly.kind {
            AnomalyKind::LatePoll(_) => self.late += 1,
            // Their number is enough.
            AnomalyKind::LateEvents(events) => return self.late += events,
            _ => {}
        }
        self.message(&anomaly.to_string());
    }

    pub(super) fn mark(&mut self, at: Timestamp, text: &str) {
        if self.marks.len() == MOST_MARKS {
            self.marks.pop_front();
        }
        self.marks.push_back(Mark { at, text: plain(text) });
    }

    /// Tells something that the reader must know.
    pub(super) fn message(&mut self, text: &str) {
        self.tell(Message { text: plain(text), warns: true });
    }

    /// Answers what a key asked for. A source that warns all the time does not hide it.
    pub(super) fn answer(&mut self, outcome: Result<&str, &str>) {
        let text = plain(outcome.unwrap_or_else(|problem| problem));
        let message = Message { text, warns: outcome.is_err() };
        self.tell(message.clone());
        self.answer = Some((message, None));
    }

    /// Lets time pass; `true` if another message is to be shown from now on.
    pub(super) fn tick(&mut self, now: Timestamp) -> bool {
        let mut over = false;
        if let Some((_, since)) = &mut self.answer
            && now.since(*since.get_or_insert(now)) >= ANSWERED
        {
            (self.answer, over) = (None, true);
        }
        if let Some(Unread { since }) = &mut self.unread
            && now.since(*since.get_or_insert(now)) >= READ
        {
            (self.unread, over) = (None, true);
        }
        over
    }

    /// A key was pressed: who pressed it has read what is shown. What is answered to a key stands for
    /// its time.
    pub(super) fn has_been_read(&mut self) -> bool {
        self.answer.is_none() && self.unread.take().is_some()
    }

    /// Why it ended and the message to show: the answer to a key for some time, then the newest; until
    /// they have been read.
    pub(super) fn shown(&self) -> (Option<&str>, Option<&Message>) {
        let answer = self.answer.as_ref().map(|(answer, _)| answer);
        let unread = self.unread.is_some();
        let ended = self.ended.as_deref().filter(|_| unread);
        (ended, answer.or(self.messages.back().filter(|_| unread)))
    }

    /// The latest messages, newest last.
    pub(super) fn messages(&self) -> impl DoubleEndedIterator<Item = &Message> + ExactSizeIterator {
        self.messages.iter()
    }

    /// Why nothing more will come.
    pub(super) fn end(&mut self, why: &str) {
        self.ended = Some(plain(why));
        self.unread = Some(Unread::default());
    }

    fn tell(&mut self, message: Message) {
        if self.messages.back() == Some(&message) {
            return;
        }
        if self.messages.len() == MOST_MESSAGES {
            self.messages.pop_front();
        }
        self.messages.push_back(message);
        self.unread = Some(Unread::default());
    }

    pub(super) fn events_lost(&self) -> u64 {
        self.lost.saturating_add(self.lost_elsewhere)
    }

    /// The frames of these series that overlap `from..to`; of several, those of one interval
    /// merged.
    pub(super) fn frames(&self, members: &[Series], from: Timestamp, to: Timestamp) -> Vec<Frame> {
        if let [series] = members {
            return self.history.frames(series, from, to);
        }
        let mut merged: BTreeMap<(Timestamp, Timestamp), Frame> = BTreeMap::new();
        for series in members {
            for frame in self.history.frames(series, from, to) {
                merge_into(&mut merged, frame);
            }
        }
        merged.into_values().collect()
    }

    /// What is worth saying of these series between two moments, most important first: what would be
    /// said of a recording of them. `None` without events.
    pub(super) fn remarks(
        &self,
        members: &[Series],
        (from, to): (Timestamp, Timestamp),
    ) -> Option<Vec<RankedRemark>> {
        let mut digest = Digest::of_span(Story::MOST_CELLS, (from, to));
        digest.begin_as(self.history.beginning());
        for series in members {
            self.history.each(series, from, to).for_each(|frame| digest.push(&frame));
        }
        let story = Story::of_digest(&digest, None)?;
        let is_there = story.findings.events > 0 || story.findings.waited.seconds > 0.0;
        is_there.then_some(story.remarks)
    }

    pub(super) fn latest(&self) -> Option<Timestamp> {
        self.history.latest()
    }

    /// Whether something went wrong that the reader must see.
    pub(super) fn has_note(&self) -> bool {
        let (ended, message) = self.shown();
        ended.is_some() || message.is_some()
    }

    /// Where the frames kept of these series begin.
    pub(super) fn begins(&self, members: &[Series]) -> Option<Timestamp> {
        members.iter().filter_map(|series| self.history.earliest_of(series)).min()
    }
}

/// A stretch of time in which none of these events ended.
fn silent(series: &Series, (start, end): (Timestamp, Timestamp)) -> Frame {
    let counts = Histogram::empty(Scheme::log_linear());
    Frame { series: series.clone(), start, end, counts, quality: Quality::Complete }
}

fn merge_into(merged: &mut BTreeMap<(Timestamp, Timestamp), Frame>, frame: Frame) {
    match merged.get_mut(&(frame.start, frame.end)) {
        None => {
            merged.insert((frame.start, frame.end), frame);
        }
        Some(known) if known.is_gap() => *known = frame,
        Some(known) if !frame.is_gap() => known.counts.add(&frame.counts),
        Some(_) => {}
    }
}

/// A text from outside on one line, every character visible.
pub(super) fn plain(text: &str) -> String {
    let blank = |character| matches!(character, '\n' | '\r' | '\t');
    text.chars().map(|c| if blank(c) { ' ' } else { visible_char(c) }).collect()
}

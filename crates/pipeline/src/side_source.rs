//! Sources that are watched while load is made. None of them can end it.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use isotherm_formats::Sink;
use isotherm_frame::{BinnerLimits, Event, Frame, Nanos};
use isotherm_live::{Address, Feed, LiveOptions, MessageBatch};

use crate::intake::Intake;
use crate::live::leaving;

/// One source.
pub struct SideSource {
    name: String,
    feed: Feed,
    intake: Intake,
    interval: Nanos,
    over: bool,
}

/// How long to wait for what an ended source has still to say.
const LAST_MESSAGES: Duration = Duration::from_millis(500);

impl SideSource {
    /// Opens a source that is called `name` where it is shown; why not if it cannot be.
    pub fn open(
        source: &str,
        name: String,
        interval: Nanos,
        stop: &AtomicBool,
    ) -> Result<SideSource, String> {
        let failed = |why: String| format!("{name} is not watched: {why}");
        let address: Address = source.parse().map_err(|error| failed(format!("{error}")))?;
        let options = LiveOptions { interval: Some(interval), ..LiveOptions::default() };
        let left = &mut leaving(&address, None, stop);
        let feed = Feed::open_unless(&address, &options, left);
        let feed = feed.map_err(|error| failed(error.to_string()))?;
        let intake = Intake::new(interval, BinnerLimits::default());
        Ok(SideSource { name, feed, intake, interval, over: false })
    }

    /// What happened since the last call, without waiting.
    pub fn take(&mut self, events: &mut Vec<Event>) {
        while let Ok(batch) = self.feed.receiver().try_recv() {
            self.batch(batch, events);
        }
        self.intake.finish_behind(self.interval);
        self.pass_on(events);
    }

    /// Ends the source, and gives what it had still to say.
    pub fn end(&mut self, events: &mut Vec<Event>) {
        self.take(events);
        // That it ends from now on is our own doing.
        self.over = true;
        self.feed.stop();
        while let Ok(batch) = self.feed.receiver().recv_timeout(LAST_MESSAGES) {
            self.batch(batch, events);
        }
        self.intake.finish();
        self.pass_on(events);
    }

    fn batch(&mut self, batch: MessageBatch, events: &mut Vec<Event>) {
        batch.messages.into_iter().for_each(|message| self.intake.take(message));
        let Some(ending) = batch.ending else { return };
        if !std::mem::replace(&mut self.over, true) {
            let why = ending.error.map_or(ending.status, |error| error.to_string());
            events.push(self.message(&format!("ended: {why}")));
        }
    }

    fn message(&self, text: &str) -> Event {
        Event::Message(format!("{}: {text}", self.name))
    }

    fn pass_on(&mut self, events: &mut Vec<Event>) {
        for event in self.intake.take_events() {
            events.push(match event {
                Event::Frame(frame) => Event::Frame(self.renamed(frame)),
                Event::Message(text) => self.message(&text),
                other => other,
            });
        }
    }

    /// The frame with its series named as one of this source: the load may have one of that name.
    fn renamed(&self, frame: Frame) -> Frame {
        Frame { series: frame.series.with_attribute("alongside", &self.name), ..frame }
    }
}

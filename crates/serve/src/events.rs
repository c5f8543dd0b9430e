//! The stream of events: what a client has not seen yet, each time something happens.

use std::net::TcpStream;
use std::sync::{Arc, Mutex, PoisonError};

use base64ct::{Base64, Encoding};
use isotherm_frame::Timestamp;
use serde_json::{Value, json};

use crate::changes::Change;
use crate::documents::{Snapshot, us};
use crate::heavy::HeavyWork;
use crate::history::{Latest, LiveHistory};
use crate::http::{Limits, write_all_within};
use crate::layout::Layout;
use crate::parameters::EventsRequest;
use crate::summaries::Summaries;

/// So many sets of columns are remembered: clients that keep up all ask for the same ones.
const REMEMBERED: usize = 8;
/// Who missed more than this has columns made for itself, so that nobody waits for that.
const KEEPS_UP: u64 = 16;

/// What all streams share.
#[derive(Debug, Default)]
pub struct Streams {
    made: Mutex<Vec<Made>>,
    /// What there is to say.
    pub summaries: Summaries,
}

/// Columns that were made: for whom, and as text.
#[derive(Debug)]
struct Made {
    since: u64,
    request: (Layout, Vec<String>),
    until: u64,
    text: Arc<str>,
}

/// What happened since a client's last change.
struct News {
    until: u64,
    /// The columns that changed, as text, if any did.
    columns: Option<Arc<str>>,
    /// Everything else, each with its kind.
    notices: Vec<(&'static str, Value)>,
}

/// Why a client is to begin anew.
const MOVED: &str = "columns lie differently now, or this is another run of the server";
const FORGOTTEN: &str = "what happened since then is no longer kept";

/// Writes events until the client goes, falls behind a write, or the server ends.
pub fn run(
    stream: &mut TcpStream,
    (history, streams, heavy): (&LiveHistory, &Streams, &HeavyWork),
    request: &EventsRequest,
    limits: &Limits,
) -> std::io::Result<()> {
    let mut write = |text: &str| write_all_within(stream, text.as_bytes(), limits.event_time);
    // Whoever reads must see at once that it is connected.
    write(":\n\n")?;
    let mut since = request.since;
    let mut summarised = None;
    let _counted = streams.summaries.client();
    loop {
        let news = match streams.news((history, heavy), since, request) {
            Ok(news) => news,
            Err(reason) => {
                let data = json!({ "reason": reason }).to_string();
                return write(&event("restart", since, &data));
            }
        };
        since = news.until;
        if let Some(columns) = &news.columns {
            write(&event("columns", since, columns))?;
        }
        for (kind, value) in &news.notices {
            write(&event(kind, since, &value.to_string()))?;
        }
        if let Some((tick, text)) = streams.summaries.latest()
            && summarised != Some(tick)
        {
            summarised = Some(tick);
            write(&event("summary", since, &text))?;
        }
        let has = Latest { tick: since, summarised, ..Latest::default() };
        match history.wait(has, limits.quiet_time) {
            None => return Ok(()),
            Some(latest) if latest == has => write(":\n\n")?,
            Some(_) => {}
        }
    }
}

/// One event. Data is base64 or JSON: it has no line ends.
fn event(kind: &str, tick: u64, data: &str) -> String {
    format!("id: {tick}\nevent: {kind}\ndata: {data}\n\n")
}

impl Streams {
    /// What a client has not seen yet, or why it is to begin anew.
    fn news(
        &self,
        (history, heavy): (&LiveHistory, &HeavyWork),
        since: u64,
        request: &EventsRequest,
    ) -> Result<News, &'static str> {
        let latest = history.read().changes.tick();
        let keeps_up = latest.saturating_sub(since) <= KEEPS_UP;
        // While one makes columns, others that need the same wait for it.
        let mut made = keeps_up.then(|| self.made.lock().unwrap_or_else(PoisonError::into_inner));
        let state = history.read();
        let layout = request.layout.as_ref().filter(|layout| state.holds(layout)).ok_or(MOVED)?;
        let until = state.changes.tick();
        let mut changed: Vec<Option<(Timestamp, Timestamp)>> = vec![None; state.sources.len()];
        let mut notices = Vec::new();
        for (recording, change) in state.changes.since(since).ok_or(FORGOTTEN)? {
            match change {
                Change::Columns(from, to) => {
                    let own = changed[recording].get_or_insert((*from, *to));
                    *own = (own.0.min(*from), own.1.max(*to));
                }
                other => notices.push(notice(recording, other)),
            }
        }
        if changed.iter().all(Option::is_none) {
            return Ok(News { until, columns: None, notices });
        }
        let wanted = (layout.clone(), request.entries.clone());
        let same = |one: &&Made| (one.since, one.until) == (since, until) && one.request == wanted;
        if let Some(known) = made.as_ref().and_then(|made| made.iter().find(same)) {
            return Ok(News { until, columns: Some(Arc::clone(&known.text)), notices });
        }
        let snapshot = Snapshot::of_state(&state);
        // Whoever measures does not wait for columns.
        drop(state);
        let compute = || snapshot.columns(&changed, (layout, &request.entries));
        let document = if keeps_up { compute() } else { heavy.alone(compute) };
        let document = document.map_err(|_| "the columns cannot be written")?;
        let text: Arc<str> = Base64::encode_string(&document).into();
        if let Some(made) = &mut made {
            made.insert(0, Made { since, request: wanted, until, text: Arc::clone(&text) });
            made.truncate(REMEMBERED);
        }
        Ok(News { until, columns: Some(text), notices })
    }
}

/// An event that is no columns.
fn notice(recording: usize, change: &Change) -> (&'static str, Value) {
    match change {
        Change::Mark(mark) => {
            ("mark", json!({ "recording": recording, "at_us": us(mark.at), "text": mark.text }))
        }
        Change::Message(text) => ("message", json!({ "recording": recording, "text": text })),
        Change::Over(reason) => ("over", json!({ "recording": recording, "reason": reason })),
        Change::Columns(..) => ("columns", Value::Null),
    }
}

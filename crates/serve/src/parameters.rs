//! What stands behind the question mark.

use isotherm_frame::Timestamp;
use percent_encoding::percent_decode_str;

use crate::http::Refusal;
use crate::layout::Layout;

/// Columns of a document unless a client says otherwise: an hour of seconds.
const COLUMNS: u64 = 3_600;
/// The most columns a client may ask for.
const MOST_COLUMNS: u64 = 6_000;
/// The most entries that may be named.
const MOST_ENTRIES: usize = 200;

/// Which document is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentRequest {
    /// The ids of the entries; all without any.
    pub entries: Vec<String>,
    /// The part of time.
    pub from: Option<Timestamp>,
    /// Where it ends.
    pub to: Option<Timestamp>,
    /// The most columns of an entry.
    pub columns: u64,
    /// Whether values of attributes are counted.
    pub facets: bool,
}

/// Which events are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventsRequest {
    /// The last change that the client has seen.
    pub since: u64,
    /// Its columns; `None` if it names none that could be ours.
    pub layout: Option<Layout>,
    /// The ids of the entries; all without any.
    pub entries: Vec<String>,
}

impl Default for DocumentRequest {
    fn default() -> DocumentRequest {
        DocumentRequest {
            entries: Vec::new(),
            from: None,
            to: None,
            columns: COLUMNS,
            facets: true,
        }
    }
}

impl DocumentRequest {
    /// Reads the parameters of a document.
    pub fn read(query: &str) -> Result<DocumentRequest, Refusal> {
        let mut request = DocumentRequest::default();
        for (name, value) in pairs(query)? {
            match name.as_str() {
                "entry" => add(&mut request.entries, value)?,
                "from" => request.from = Some(moment(&name, &value)?),
                "to" => request.to = Some(moment(&name, &value)?),
                "columns" => {
                    let columns = value.parse().ok().filter(|n| (1..=MOST_COLUMNS).contains(n));
                    let why = format!("columns must be a whole number from 1 to {MOST_COLUMNS}");
                    request.columns = columns.ok_or_else(|| Refusal::malformed(why))?;
                }
                "facets" => {
                    let facets = ["0", "1"].iter().position(|known| *known == value);
                    let facets =
                        facets.ok_or_else(|| Refusal::malformed("facets must be 0 or 1"))?;
                    request.facets = facets == 1;
                }
                _ => return Err(unknown(&name, "entry, from, to, columns, facets")),
            }
        }
        if request.from.zip(request.to).is_some_and(|(from, to)| from >= to) {
            return Err(Refusal::malformed("from must be before to"));
        }
        Ok(request)
    }

    /// Reads the parameters of a report that is saved: a part of time.
    pub fn read_part_of_time(query: &str) -> Result<DocumentRequest, Refusal> {
        let other = pairs(query)?.into_iter().find(|(name, _)| name != "from" && name != "to");
        match other {
            Some((name, _)) => Err(unknown(&name, "from, to")),
            None => DocumentRequest::read(query),
        }
    }
}

impl EventsRequest {
    /// Reads the parameters of a stream of events.
    pub fn read(query: &str) -> Result<EventsRequest, Refusal> {
        let mut request = EventsRequest::default();
        for (name, value) in pairs(query)? {
            match name.as_str() {
                "since" => {
                    let since = value.parse().ok();
                    let why = "since must be the number of a tick";
                    request.since = since.ok_or_else(|| Refusal::malformed(why))?;
                }
                "layout" => request.layout = value.parse().ok(),
                "entry" => add(&mut request.entries, value)?,
                _ => return Err(unknown(&name, "since, layout, entry")),
            }
        }
        Ok(request)
    }
}

fn add(entries: &mut Vec<String>, id: String) -> Result<(), Refusal> {
    if entries.len() == MOST_ENTRIES {
        return Err(Refusal::malformed(format!("more than {MOST_ENTRIES} entries")));
    }
    entries.push(id);
    Ok(())
}

fn unknown(name: &str, known: &str) -> Refusal {
    let name: String = name.chars().take(40).collect();
    Refusal::malformed(format!("no parameter is called {name:?}; known: {known}"))
}

/// Microseconds of the clock, with or without a fraction as JSON writes them.
fn moment(name: &str, value: &str) -> Result<Timestamp, Refusal> {
    let wrong = || Refusal::malformed(format!("{name} must be a number of microseconds"));
    let (whole, fraction) = value.split_once('.').unwrap_or((value, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole.strip_prefix('-').unwrap_or(whole)) || !digits(fraction) {
        return Err(wrong());
    }
    // The rest of a nanosecond is nothing that any clock here says.
    let fraction: String = fraction.chars().chain("000".chars()).take(3).collect();
    let us: i64 = whole.parse().map_err(|_| wrong())?;
    let ns: i64 = fraction.parse().map_err(|_| wrong())?;
    let ns = if whole.starts_with('-') { -ns } else { ns };
    us.checked_mul(1_000).and_then(|us| us.checked_add(ns)).map(Timestamp::new).ok_or_else(wrong)
}

/// The parameters, decoded.
fn pairs(query: &str) -> Result<Vec<(String, String)>, Refusal> {
    let decoded = |text: &str| {
        let text = percent_decode_str(text).decode_utf8().ok().map(String::from);
        text.ok_or_else(|| Refusal::malformed("a parameter is no UTF-8"))
    };
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    let pairs = pairs.map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    pairs.map(|(name, value)| Ok((decoded(name)?, decoded(value)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_asked_for() {
        let read =
            DocumentRequest::read("entry=0-ab&entry=a%20b&from=1.5&to=-2.25&columns=7&facets=0");
        assert_eq!(read, Err(Refusal::malformed("from must be before to")));
        let read =
            DocumentRequest::read("entry=0-ab&entry=a%20b&from=-2.25&to=1.5&columns=7&facets=0");
        let expected = DocumentRequest {
            entries: vec!["0-ab".to_owned(), "a b".to_owned()],
            from: Some(Timestamp::new(-2_250)),
            to: Some(Timestamp::new(1_500)),
            columns: 7,
            facets: false,
        };
        assert_eq!(read, Ok(expected));
        assert_eq!(DocumentRequest::read(""), Ok(DocumentRequest::default()));
        for wrong in [
            "columns=0",
            "columns=9999",
            "from=",
            "from=1e9",
            "from=9223372036854775807",
            "facets=2",
            "x=1",
            "entry=%ff",
            "from=--1",
            "from=1.",
            "to=+1",
        ] {
            // ends: it is the status of an answer, not of a process
            assert_eq!(DocumentRequest::read(wrong).unwrap_err().status().0, 400, "{wrong}");
        }
    }

    #[test]
    fn a_report_that_is_saved_is_of_a_part_of_time_and_of_all_entries() {
        let part = DocumentRequest::read_part_of_time("from=1&to=2").unwrap();
        assert_eq!(
            (part.from, part.to),
            (Some(Timestamp::new(1_000)), Some(Timestamp::new(2_000)))
        );
        for wrong in ["entry=x", "columns=5", "facets=0", "from=1&x=1", "from=2&to=1"] {
            assert!(DocumentRequest::read_part_of_time(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn events_are_asked_for() {
        let layout = Layout { run: 10, arrangement: 1, factors: vec![2] };
        let read = EventsRequest::read("since=17&layout=a-1-2&entry=x");
        let entries = vec!["x".to_owned()];
        assert_eq!(read, Ok(EventsRequest { since: 17, layout: Some(layout), entries }));
        // A layout of another version is none of ours: the client is to begin anew.
        assert_eq!(EventsRequest::read("layout=v2:x").unwrap().layout, None);
        assert!(EventsRequest::read("since=-1").is_err() && EventsRequest::read("sinc=1").is_err());
    }
}

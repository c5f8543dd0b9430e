//! The longest event of each series, kept to be shown as an example.

use isotherm_frame::{Example, Nanos, Place, Series, Timestamp};

use crate::{Note, Sink};

/// An event with its text and where it begins in the input.
#[derive(Copy, Clone, Debug)]
pub(crate) struct TextEvent<'t> {
    pub(crate) at: Timestamp,
    pub(crate) latency: Nanos,
    pub(crate) place: Place,
    pub(crate) text: &'t [u8],
}

/// The longest event of each series, by the number of the series.
#[derive(Debug, Default)]
pub(crate) struct LongestEvents(Vec<Option<Kept>>);

#[derive(Debug)]
struct Kept {
    at: Timestamp,
    latency: Nanos,
    place: Place,
    text: Vec<u8>,
}

/// So much of a text is kept, in bytes, and shown, in characters: enough to know it by, and a thousand
/// series take no more than a megabyte.
const KEPT: usize = 1_000;
const SHOWN: usize = 300;

impl LongestEvents {
    /// Keeps the event if none of its series was as long.
    pub(crate) fn take(&mut self, series: usize, event: TextEvent<'_>) {
        if self.0.len() <= series {
            self.0.resize_with(series + 1, || None);
        }
        let Some(slot) = self.0.get_mut(series) else { return };
        if slot.as_ref().is_some_and(|kept| kept.latency >= event.latency) {
            return;
        }
        let TextEvent { at, latency, place, text } = event;
        let text = text[..text.len().min(KEPT)].to_vec();
        *slot = Some(Kept { at, latency, place, text });
    }

    /// Tells the sink of each.
    pub(crate) fn finish(&mut self, series: &[Series], sink: &mut dyn Sink) {
        for (kept, series) in std::mem::take(&mut self.0).into_iter().zip(series) {
            let Some(Kept { at, latency, place, text }) = kept else { continue };
            let text = if may_hold_password(&text) {
                series.name().to_owned()
            } else {
                on_one_line(&text)
            };
            let example = Example { at, latency, input: None, place, text };
            sink.note(Note::Example(series.clone(), example));
        }
    }
}

/// Whether a statement may set a password: it is shown without its values then, as its series is called.
fn may_hold_password(text: &[u8]) -> bool {
    let lower = text.to_ascii_lowercase();
    ["password", "identified by"]
        .iter()
        .any(|word| memchr::memmem::find(&lower, word.as_bytes()).is_some())
}

/// A text with one blank for each stretch of them and of line ends; cut where it is long.
fn on_one_line(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None if text.len() >= KEPT => format!("{line}…"),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use isotherm_frame::Account;

    use super::*;
    use crate::Message;

    struct Notes<'a>(&'a mut Account);
    impl Sink for Notes<'_> {
        fn take(&mut self, message: Message) {
            if let Message::Note(note) = message {
                note.account(self.0);
            }
        }
    }

    #[test]
    fn the_longest_of_each_series_is_kept_with_its_text_and_place() {
        let mut longest = LongestEvents::default();
        let long = "é".repeat(700);
        let events = [
            (1, 5, "select\n\t 1"),
            (0, 7, "alter role x PASSWORD 'y'"),
            (1, 9, "select\n\t 2"),
            (1, 9, "later"),
            (3, 1, &long),
        ];
        for (line, (series, ms, text)) in (1..).zip(events) {
            let (at, latency) = (Timestamp::new(line), Nanos::from_millis(ms));
            let place = Place { line: line.unsigned_abs(), byte: 0 };
            longest.take(series, TextEvent { at, latency, place, text: text.as_bytes() });
        }
        let series = ["a", "b", "c", "d"].map(Series::named);
        let mut account = Account::default();
        longest.finish(&series, &mut Notes(&mut account));
        let found: Vec<(&str, u64, u64)> = account
            .examples
            .iter()
            .map(|(series, one)| {
                (series.name(), one.place.line, one.latency.as_nanos() / 1_000_000)
            })
            .collect();
        assert_eq!(found, [("a", 2, 7), ("b", 3, 9), ("d", 5, 1)]);
        assert_eq!(account.examples[&series[0]].text, "a");
        assert_eq!(account.examples[&series[1]].text, "select 2");
        assert_eq!(account.examples[&series[3]].text.chars().count(), 301);
    }
}

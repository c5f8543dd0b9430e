//! What was found as plain lines of text: for screen readers, chats and logs.

use std::io::{self, Write};

use isotherm_analysis::{ShortNames, Summary};
use isotherm_frame::TimeWaited;

use crate::narration::about_share;
use crate::numbers::waited;

/// Sentences under the name of what they are about, and who waited the most.
#[derive(Clone, Debug)]
pub struct Description {
    /// What the sentences are about.
    pub title: String,
    /// What is worth saying, most important first.
    pub sentences: Vec<String>,
    /// The series, most time waited first; listed where there are several.
    pub owners: Vec<SeriesShare>,
    /// What their names have in common and leave out.
    pub common: Option<String>,
    /// The number of characters in a line; `None` for a line to each sentence.
    pub width: Option<usize>,
}

/// What one series waited.
#[derive(Clone, Debug)]
pub struct SeriesShare {
    /// What tells it from the others.
    pub name: String,
    /// Its time waited.
    pub waited: TimeWaited,
    /// Its events.
    pub events: u64,
}

impl SeriesShare {
    /// What each series waited, and what their names have in common and leave out.
    pub fn of(summaries: &[&Summary]) -> (Vec<SeriesShare>, Option<String>) {
        let short = ShortNames::of(summaries.iter().map(|summary| &summary.series));
        let one = |summary: &&Summary| SeriesShare {
            name: short.name(&summary.series),
            waited: summary.waited(),
            events: summary.events(),
        };
        (summaries.iter().map(one).collect(), short.common())
    }
}

/// The most series listed; the rest are summed up.
const MOST_LISTED: usize = 10;

impl Description {
    /// Writes the text. Fails only when `out` does.
    pub fn render(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.sentences.is_empty() {
            return writeln!(out, "no events");
        }
        writeln!(out, "{}", self.title)?;
        for sentence in &self.sentences {
            for (index, line) in wrapped(sentence, self.width).iter().enumerate() {
                let indent = if index == 0 { "  " } else { "    " };
                writeln!(out, "{indent}{line}")?;
            }
        }
        if self.owners.len() > 1 { self.list(out) } else { Ok(()) }
    }

    /// Who waited the most: shares of all time waited.
    fn list(&self, out: &mut dyn Write) -> io::Result<()> {
        let all: f64 = self.owners.iter().map(|one| one.waited.seconds).sum();
        let exact = self.owners.iter().all(|one| one.waited.exact);
        let (first, rest) = self.owners.split_at(self.owners.len().min(MOST_LISTED));
        let of = self.common.as_ref().map(|common| format!(" ({common})")).unwrap_or_default();
        writeln!(out, "% of all time waited, by series{of}")?;
        for one in first {
            writeln!(out, "{}", line(one, all, exact))?;
        }
        if rest.is_empty() {
            return Ok(());
        }
        let others = SeriesShare {
            name: format!("{} other series", rest.len()),
            waited: TimeWaited {
                seconds: rest.iter().map(|one| one.waited.seconds).sum(),
                exact: rest.iter().all(|one| one.waited.exact),
            },
            events: rest.iter().map(|one| one.events).sum(),
        };
        writeln!(out, "{}", line(&others, all, exact))
    }
}

fn line(one: &SeriesShare, all: f64, all_exact: bool) -> String {
    let share = if all > 0.0 { one.waited.seconds / all } else { 0.0 };
    let about = if one.waited.exact || one.waited.seconds <= 0.0 { "" } else { "≈" };
    let share = about_share(share, all_exact);
    let time = format!("{about}{}", waited(one.waited.seconds));
    format!("  {share:>7}  {time:>12}  {}", one.name)
}

/// The words of a sentence; a unit stays with its number.
pub(crate) fn words(sentence: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in sentence.split(' ') {
        let unit = word.trim_end_matches([',', ':', ';', '.', ')']);
        let follows = ["%", "s", "ms", "µs", "ns"].contains(&unit);
        match words
            .last_mut()
            .filter(|last| follows && last.ends_with(|c: char| c.is_ascii_digit()))
        {
            Some(last) => {
                last.push(' ');
                last.push_str(word);
            }
            None => words.push(word.to_owned()),
        }
    }
    words
}

/// Characters of the widest indent.
const INDENT: usize = 4;

/// The words on as many lines as they need, with room for an indent.
pub(crate) fn wrapped(sentence: &str, width: Option<usize>) -> Vec<String> {
    let room = width.map_or(usize::MAX, |width| width.saturating_sub(INDENT).max(20));
    wrapped_to(sentence, room)
}

/// The words on lines of at most this many characters.
pub fn wrapped_to(sentence: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in words(sentence) {
        let used = lines.last().map_or(0, |line| line.chars().count());
        if used > 0 && used + 1 + word.chars().count() > width {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(&word);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(sentences: &[&str], owners: Vec<SeriesShare>, width: Option<usize>) -> String {
        let sentences = sentences.iter().map(|&one| one.to_owned()).collect();
        let mut out = Vec::new();
        let description =
            Description { title: "read".to_owned(), sentences, owners, common: None, width };
        description.render(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn sentences_are_wrapped_between_words_under_their_name() {
        let sentence = "From 14:25:10 to 14:33:05 a band appears.";
        assert_eq!(text(&[sentence], Vec::new(), None), format!("read\n  {sentence}\n"));
        assert_eq!(
            text(&[sentence], Vec::new(), Some(30)),
            "read\n  From 14:25:10 to 14:33:05\n    a band appears.\n"
        );
        // A number and its unit stay together.
        let shares = "It took 12 times as long: 98 % of all.";
        let wrapped = text(&[shares], Vec::new(), Some(32));
        assert!(wrapped.contains("\n    98 % of all.\n"), "{wrapped}");
    }

    #[test]
    fn nothing_is_said_to_be_nothing() {
        assert_eq!(text(&[], Vec::new(), None), "no events\n");
    }

    #[test]
    fn of_many_series_ten_are_listed_and_the_rest_summed_up() {
        // 100 s, 9 x 10 s and 20 x 0.5 s: 200 s in all.
        let one = |number: usize, seconds| SeriesShare {
            name: format!("e{number}"),
            waited: TimeWaited { seconds, exact: true },
            events: 1,
        };
        let seconds = |number| {
            if number == 0 {
                100.0
            } else if number < 10 {
                10.0
            } else {
                0.5
            }
        };
        let owners = (0..30).map(|number| one(number, seconds(number))).collect();
        let shown = text(&["All is well."], owners, None);
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines.len(), 2 + 1 + 10 + 1, "{shown}");
        assert_eq!(lines[3].split_whitespace().collect::<Vec<_>>(), ["50", "%", "100", "s", "e0"]);
        let last: Vec<&str> = lines[13].split_whitespace().collect();
        assert_eq!(last, ["5", "%", "10.0", "s", "20", "other", "series"]);
    }
}

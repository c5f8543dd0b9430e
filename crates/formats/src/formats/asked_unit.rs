//! The unit of latencies that a format cannot know: it is asked for, with what the numbers themselves say.

use std::borrow::Cow;

use super::choice::Chosen;
use super::envelope::Envelope;
use super::format::{Choice, Format};
use super::row::{Splitter, Taken};
use crate::lines::first_lines;
use crate::{Context, DecodeError, number};

/// An error with the question, unless the user has said the unit: one holds for the whole input.
pub(super) fn ask(
    format: &Format,
    chosen: &Chosen,
    context: &Context,
    (head, envelope): (&[u8], Option<Envelope>),
) -> Result<(), DecodeError> {
    let choice = chosen.choice(format).filter(|_| context.unit.is_none());
    let Some((choice, ask)) = choice.and_then(|choice| Some((choice, choice.latency.ask.as_ref()?))) else {
        return Ok(());
    };
    let evidence = evidence(&numbers(format, choice, head, envelope));
    let evidence = evidence.map(|evidence| format!(". {evidence}")).unwrap_or_default();
    Err(DecodeError::Nothing(format!("this is {}: {ask}{evidence}", format.definition.title)))
}

/// The whole numbers in the place of the latency near the beginning of an input.
fn numbers(format: &Format, choice: &Choice, head: &[u8], envelope: Option<Envelope>) -> Vec<u64> {
    let [field] = choice.fields[..] else { return Vec::new() };
    let mut splitter = Splitter::new(format, format.fields.clone());
    let mut numbers = Vec::new();
    for line in first_lines(head) {
        let opened = envelope.and_then(|envelope| envelope.open(line));
        let line: Cow<'_, [u8]> = opened.map_or(Cow::Borrowed(line), |opened| opened.text);
        if matches!(splitter.take(&line, true), Taken::Row) {
            numbers.extend(splitter.get(&line, field).and_then(|value| number::whole(&value).ok()));
        }
    }
    numbers
}

/// Which unit most of the numbers hardly have.
fn evidence(numbers: &[u64]) -> Option<String> {
    /// A request of so many seconds takes more than a quarter of an hour.
    const LONG: u64 = 1_000;
    let count = |is_it: fn(&u64) -> bool| numbers.iter().filter(|number| is_it(number)).count();
    let (long, none) = (count(|number| *number > LONG), count(|number| *number == 0));
    let all = numbers.len();
    let first = if all == 1 { "Its first number is".to_owned() } else { format!("Of its first {all} numbers,") };
    let some = |few: usize| match (all, few) {
        (1, _) => String::new(),
        (_, few) if few == all => " all are".to_owned(),
        (_, few) => format!(" {few} are"),
    };
    if long * 2 > all {
        return Some(format!("{first}{} above 1,000: hardly seconds", some(long)));
    }
    (none * 2 > all).then(|| format!("{first}{} 0: hardly microseconds", some(none)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_numbers_tell_which_unit_is_unlikely() {
        let hardly = |numbers: &[u64]| evidence(numbers).unwrap_or_default();
        assert_eq!(hardly(&[42_118]), "Its first number is above 1,000: hardly seconds");
        assert_eq!(hardly(&[42_118, 1_001]), "Of its first 2 numbers, all are above 1,000: hardly seconds");
        assert_eq!(hardly(&[42_118, 733, 90_000]), "Of its first 3 numbers, 2 are above 1,000: hardly seconds");
        assert_eq!(hardly(&[0, 0, 3]), "Of its first 3 numbers, 2 are 0: hardly microseconds");
        for unclear in [&[][..], &[1_000], &[42_118, 733], &[0, 1, 12_000], &[3, 5, 2]] {
            assert_eq!(evidence(unclear), None, "{unclear:?}");
        }
    }
}

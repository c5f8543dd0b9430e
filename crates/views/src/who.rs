//! Who waits, in one sentence: the series with the most time waited.

use isotherm_analysis::ShortNames;
use isotherm_frame::{Series, TimeWaited};

use crate::narration::about_share;

/// The most series named.
const MOST_NAMED: usize = 4;

/// `Who waits: sdb 40 %, log file sync 30 %, sda 15 %; 2 more 15 % of all time waited.` `None` of a
/// single series. Those that waited most come first.
pub fn who_waits(ranking: &[(Series, TimeWaited)]) -> Option<String> {
    let all: f64 = ranking.iter().map(|(_, waited)| waited.seconds).sum();
    if ranking.len() < 2 || all <= 0.0 {
        return None;
    }
    let exact = ranking.iter().all(|(_, waited)| waited.exact);
    let share = |seconds: f64| about_share(seconds / all, exact);
    let short = ShortNames::of(ranking.iter().map(|(series, _)| series));
    let (first, rest) = ranking.split_at(ranking.len().min(MOST_NAMED));
    let named =
        first.iter().map(|(series, one)| format!("{} {}", short.name(series), share(one.seconds)));
    let mut named: Vec<String> = named.collect();
    if !rest.is_empty() {
        let seconds = rest.iter().map(|(_, one)| one.seconds).sum();
        named.push(format!("{} more {}", rest.len(), share(seconds)));
    }
    let of = short.common().map(|common| format!(" ({common})")).unwrap_or_default();
    Some(format!("Who waits{of}: {} of all time waited.", named.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(seconds: &[(&str, f64)]) -> Option<String> {
        let one = |&(name, seconds): &(&str, f64)| {
            (Series::named(name), TimeWaited { seconds, exact: true })
        };
        who_waits(&seconds.iter().map(one).collect::<Vec<_>>())
    }

    #[test]
    fn the_first_are_named_and_the_rest_summed_up() {
        assert_eq!(line(&[("read", 3.0)]), None);
        let two = line(&[("read", 3.0), ("sync", 1.0)]);
        assert_eq!(two.as_deref(), Some("Who waits: read 75 %, sync 25 % of all time waited."));
        let six = [("a", 4.0), ("b", 2.0), ("c", 1.0), ("d", 1.0), ("e", 1.0), ("f", 1.0)];
        let expected = "Who waits: a 40 %, b 20 %, c 10 %, d 10 %, 2 more 20 % of all time waited.";
        assert_eq!(line(&six).as_deref(), Some(expected));
        assert_eq!(line(&[("a", 0.0), ("b", 0.0)]), None);
    }
}

//! What tells the events of a selection from the rest: which series and which attributes.

use isotherm_frame::Series;

use crate::amount::Amount;
use crate::contrast::Contrast;
use crate::marginals::Marginals;

/// The events of one series inside a selection and outside it.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The series.
    pub series: Series,
    /// What it has inside.
    pub inside: Amount,
    /// What it has outside.
    pub outside: Amount,
}

/// The shares of every value of every facet. The shares of one facet add up to one on each side
/// that has events; a series without an attribute counts as that attribute's missing value.
///
/// `z` is the signed root of the log-likelihood ratio of two proportions, which holds for rare
/// values too: Dunning 1993, "Accurate methods for the statistics of surprise and coincidence".
/// Events of one burst are no independent draws, so that it tells what to look at first and is no
/// probability.
pub fn shares(parts: &[Part]) -> Vec<Contrast> {
    let mut marginals = Marginals::new(parts.len());
    for part in parts {
        marginals.add(&part.series, part.inside, part.outside);
    }
    marginals.contrasts()
}

/// At most `most` values that are more or less common inside than outside beyond chance, first
/// those that are more common, and of these the ones first that tell the selection from the rest
/// best.
///
/// What a value contributes to that is its part `(p - q) ln(p / q)` of the divergence of the two
/// sides (Jeffreys 1946), `p` and `q` being its shares inside and outside with half an event added
/// (Krichevsky and Trofimov 1981). A share of 40 % instead of 2 % is more of a difference than 90 %
/// instead of 50 %.
///
/// Of `k` values some differ by chance: the least |z| is the root of `9 + 2 ln k`, which keeps the
/// chance that any of them is reported that of one value at 3 (Bonferroni; the tail of a normal
/// distribution is below `exp(-z²/2)`). What contributes less than 0.01 is left out, too.
///
/// Shares of the time waited are compared in the same way: a value whose few events own most of the
/// time is listed, too, if these shares are at least a tenth of all time apart.
pub fn distinguishing(parts: &[Part], most: usize) -> Vec<Contrast> {
    most_telling(shares(parts), most)
}

/// At most `most` of these, in the order of [`distinguishing`].
pub fn most_telling(mut contrasts: Vec<Contrast>, most: usize) -> Vec<Contrast> {
    contrasts.retain(Contrast::differs);
    contrasts.sort_by(|one, two| {
        let order =
            |contrast: &Contrast| (!contrast.is_more(), (contrast.contribution() * 1e9).round());
        let ((less, weight), (other_less, other)) = (order(one), order(two));
        less.cmp(&other_less).then(other.total_cmp(&weight)).then(two.z.total_cmp(&one.z))
    });
    contrasts.truncate(most);
    contrasts
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::{Count, Facet, FacetValue};
    use isotherm_frame::Nanos;

    fn part(name: &str, attributes: &[(&str, &str)], inside: u64, outside: u64) -> Part {
        let series = Series::with_attributes(name, attributes.iter().copied());
        Part { series, inside: events(inside), outside: events(outside) }
    }

    /// So many events of no length.
    fn events(events: u64) -> Amount {
        Amount { events, ..Amount::default() }
    }

    fn contrasts(contrast: &Contrast) -> (String, String, f64, f64) {
        let Contrast { facet, value, inside, outside, .. } = contrast;
        (facet.to_string(), value.to_string(), *inside, *outside)
    }

    #[test]
    fn a_planted_program_is_reported_first() {
        // RMAN reads 71 of 100 blocks of the burst and 3 of 100 elsewhere; files hardly differ.
        let parts = [
            part("read", &[("program", "RMAN"), ("file", "1")], 355, 15),
            part("read", &[("program", "RMAN"), ("file", "2")], 355, 15),
            part("read", &[("program", "app"), ("file", "1")], 140, 480),
            part("read", &[("program", "app"), ("file", "2")], 150, 490),
        ];
        let differences = distinguishing(&parts, 10);
        assert_eq!(contrasts(&differences[0]), ("program".into(), "RMAN".into(), 0.71, 0.03));
        assert_eq!(contrasts(&differences[1]), ("program".into(), "app".into(), 0.29, 0.97));
        // By hand: 2 (710 ln(.71/.37) + 290 ln(.29/.63) + 30 ln(.03/.37) + 970 ln(.97/.63))
        // = 2 (462.741 - 224.975 - 75.370 + 418.617) = 1162.03, the root 34.09.
        assert!((differences[0].z - 34.09).abs() < 0.01, "{}", differences[0].z);
        // With half an event: p = 710.5/1001, q = 30.5/1001: (p - q) ln(p/q) = .67932 x 3.14823.
        assert!((differences[0].weight - 2.1387).abs() < 1e-3, "{}", differences[0].weight);
        assert!((differences[0].z + differences[1].z).abs() < 1e-9);
        assert_eq!(differences[0].in_selection, Count { events: 710, ..Count::default() });
        assert_eq!(differences.len(), 2, "neither files nor the only name differ: {differences:?}");
        assert_eq!(distinguishing(&parts, 1).len(), 1);
    }

    #[test]
    fn names_differ_too_and_a_missing_attribute_is_a_value() {
        let parts = [part("read", &[("disk", "a")], 90, 10), part("sync", &[], 10, 90)];
        let differences = distinguishing(&parts, 10);
        let contrasts: Vec<_> = differences.iter().map(contrasts).collect();
        assert!(contrasts.contains(&("series".into(), "read".into(), 0.9, 0.1)));
        assert!(contrasts.contains(&("disk".into(), "(none)".into(), 0.1, 0.9)));
        assert_eq!(contrasts.len(), 4);
        assert!(differences[0].z > 0.0, "what is more common inside comes first");
    }

    #[test]
    fn chance_and_empty_sides_tell_nothing() {
        let alike =
            [part("read", &[("disk", "a")], 52, 500), part("read", &[("disk", "b")], 48, 500)];
        assert_eq!(distinguishing(&alike, 10), []);
        let nothing_outside = [part("read", &[("disk", "a")], 5, 0), part("sync", &[], 9, 0)];
        assert_eq!(distinguishing(&nothing_outside, 10), []);
        assert_eq!(distinguishing(&[], 10), []);
    }

    #[test]
    fn an_attribute_called_series_is_not_the_name() {
        let parts = [part("read", &[("series", "read")], 90, 10), part("sync", &[], 10, 90)];
        assert_eq!(distinguishing(&parts, 10).len(), 4);
    }

    #[test]
    fn values_that_occur_once_tell_nothing() {
        // 200 blocks read once each inside, 50,000 others outside: each differs by more than three
        // standard deviations, and as one of so many by chance.
        let block = |number: usize, inside: u64| {
            let value = format!("b{number:06}");
            part("read", &[("block", value.as_str())], inside, 1 - inside)
        };
        let parts: Vec<Part> =
            (0..50_200).map(|number| block(number, u64::from(number < 200))).collect();
        assert!(shares(&parts)[1].z.abs() < 9.0);
        assert_eq!(distinguishing(&parts, 10), []);
    }

    /// 50 sessions, one of them slow in a window, twelve ways: it comes first.
    #[test]
    fn one_of_fifty_sessions_is_reported_first_twelve_times_of_twelve() {
        let mut next = lcg(11);
        for (rate, share, slow) in twelve() {
            let culprit = next() % 50;
            let mut counts = BTreeMap::<(u64, u64), (u64, u64)>::new();
            for _ in 0..rate * 600 {
                let (session, file, dice) = (next() % 50, next() % 8, next() % 1_000);
                let planted = session == culprit && dice < share;
                // Elsewhere one event of `slow` is as slow by chance.
                let inside = planted || next().is_multiple_of(slow);
                let count = counts.entry((session, file)).or_default();
                count.0 += u64::from(inside);
                count.1 += u64::from(!inside);
            }
            let parts: Vec<Part> = counts
                .iter()
                .map(|((session, file), &(inside, outside))| {
                    let (session, file) = (format!("s{session:02}"), format!("f{file}"));
                    part("read", &[("session", &session), ("file", &file)], inside, outside)
                })
                .collect();
            let first = distinguishing(&parts, 1);
            assert_eq!(first[0].value, FacetValue::Is(format!("s{culprit:02}")), "{first:?}");
        }
    }

    /// Events a second, in thousandths the share of the culprit's events that are slow, and of how
    /// many others one is.
    fn twelve() -> impl Iterator<Item = (u64, u64, u64)> {
        [5, 50, 200].into_iter().flat_map(|rate| {
            [(1_000, 100), (500, 100), (300, 1_000), (100, 5_000)]
                .map(|(share, slow)| (rate, share, slow))
        })
    }

    /// Seeded numbers (Knuth's MMIX generator, its upper bits).
    fn lcg(seed: u64) -> impl FnMut() -> u64 {
        let mut state = seed;
        move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            state >> 33
        }
    }

    #[test]
    fn endless_values_are_bounded_and_the_others_say_how_many_they_are() {
        let mut marginals = Marginals::new(16);
        let one = Amount::of(1, Nanos::from_micros(1));
        let none = Amount::default();
        for number in 0..5_000_u32 {
            let of = |value: String| Series::with_attributes("read", [("sql", value)]);
            marginals.add(&of(format!("q{number}")), none, one);
            if number % 10 == 0 {
                marginals.add(&of("culprit".to_owned()), one, none);
                marginals.add(&of(format!("x{number}")), one, none);
            }
        }
        let contrasts = marginals.contrasts();
        let events: u64 = contrasts
            .iter()
            .filter(|contrast| contrast.facet != Facet::Name)
            .map(|contrast| contrast.in_selection.events + contrast.in_rest.events)
            .sum();
        assert_eq!(events, 6_000, "(other) holds what the values do not");
        let others = contrasts.iter().find_map(|contrast| match contrast.value {
            FacetValue::Others { values, at_least } => Some((values, at_least)),
            _ => None,
        });
        // 5,001 values of both sides, and x0, x10, ...: 5,501, at most 32 of them counted.
        let (values, at_least) = others.unwrap();
        assert!((5_469..5_501).contains(&values) && !at_least, "{values}");
        let first = &most_telling(contrasts, 1)[0];
        assert_eq!(first.value, FacetValue::Is("culprit".to_owned()));
        let Count { events, over, waited_ns, .. } = first.in_selection;
        assert_eq!((events, over, waited_ns), (500, 0, 500_000));
        assert_eq!(first.in_rest.events, 0);
        assert!(first.in_rest.over <= 5_000 / 16);
    }

    fn any_parts() -> impl Strategy<Value = Vec<Part>> {
        let attributes = proptest::collection::btree_map("[abc]", "[xyz]", 0..3);
        let part = ("[mn]", attributes, 0..1_000_u64, 0..1_000_u64).prop_map(
            |(name, attributes, inside, outside)| Part {
                series: Series::with_attributes(name, attributes),
                inside: events(inside),
                outside: events(outside),
            },
        );
        proptest::collection::vec(part, 0..12)
    }

    proptest! {
        #[test]
        fn shares_of_a_facet_are_a_whole(parts in any_parts()) {
            let mut sums: BTreeMap<Facet, (f64, f64, u64)> = BTreeMap::new();
            for contrast in shares(&parts) {
                let sum = sums.entry(contrast.facet).or_default();
                sum.0 += contrast.inside;
                sum.1 += contrast.outside;
                sum.2 += contrast.in_selection.events;
            }
            let events: u64 = parts.iter().map(|part| part.inside.events).sum();
            let whole = |any: bool| if any { 1.0 } else { 0.0 };
            let outside = parts.iter().any(|part| part.outside.events > 0);
            for (facet, (inside_sum, outside_sum, counted)) in sums {
                prop_assert!((inside_sum - whole(events > 0)).abs() < 1e-9, "{facet}");
                prop_assert!((outside_sum - whole(outside)).abs() < 1e-9, "{facet}");
                prop_assert_eq!(counted, events);
            }
        }

        #[test]
        fn the_other_way_round_differs_the_other_way(parts in any_parts()) {
            let swapped: Vec<Part> = parts
                .iter()
                .map(|part| Part { inside: part.outside, outside: part.inside, ..part.clone() })
                .collect();
            for (one, two) in shares(&parts).iter().zip(shares(&swapped)) {
                prop_assert!((one.z + two.z).abs() < 1e-9);
                prop_assert!((one.shift() + two.shift()).abs() < 1e-12);
            }
        }

        #[test]
        fn what_is_reported_is_ordered_and_telling(parts in any_parts(), most in 0..6_usize) {
            let contrasts = distinguishing(&parts, most);
            prop_assert!(contrasts.len() <= most);
            prop_assert!(contrasts.iter().all(|contrast| contrast.z.abs() >= 3.0));
            let weights = |less: bool| -> Vec<f64> {
                let some = contrasts.iter().filter(|contrast| (contrast.z < 0.0) == less);
                some.map(|contrast| contrast.weight).collect()
            };
            for weights in [weights(false), weights(true)] {
                prop_assert!(weights.windows(2).all(|pair| pair[0] >= pair[1] - 1e-8));
            }
            prop_assert!(contrasts.is_sorted_by_key(|contrast| contrast.z < 0.0), "more common first");
        }
    }
}

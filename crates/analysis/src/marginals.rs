//! How the events of a selection, and all others, divide among the values of every attribute.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use isotherm_frame::Series;

use crate::amount::Amount;
use crate::contrast::{Contrast, Count, Facet, FacetValue};
use crate::space_saving::{Counter, Distinct, SpaceSaving};

/// Counts of events inside and outside of a selection, for every value of every attribute of their
/// series: each attribute by itself, so that what is kept grows with the sum of the values and not
/// with their combinations.
#[derive(Clone, Debug)]
pub struct Marginals {
    /// The most values of an attribute that are counted on either side.
    most: usize,
    facets: BTreeMap<Facet, Tally>,
    /// What was counted of series and is not yet among the facets.
    recent: HashMap<Series, [Amount; 2]>,
    inside: Amount,
    outside: Amount,
}

#[derive(Clone, Debug)]
struct Tally {
    inside: SpaceSaving,
    outside: SpaceSaving,
    /// What all values have on either side.
    all: [Amount; 2],
    distinct: Distinct,
}

/// So many series are counted before their values are.
const MOST_RECENT: usize = 1 << 16;

/// What is counted exactly.
impl From<Amount> for Count {
    fn from(amount: Amount) -> Count {
        Count::from((amount, 0))
    }
}

impl From<Count> for Amount {
    fn from(count: Count) -> Amount {
        Amount {
            events: count.events,
            waited_ns: count.waited_ns,
            squares_s2: count.squares_s2,
            slow: count.slow,
        }
    }
}

impl Marginals {
    /// The values of an attribute that are counted exactly on either side, where it is not known
    /// how many there will be.
    pub const USUAL: usize = 1_024;

    /// Counts at most so many values of an attribute on either side of the selection, those with
    /// the most events there: of more than that a value with more than `1 / most` of the events of
    /// a side is always among them.
    pub fn new(most: usize) -> Marginals {
        let (inside, outside) = (Amount::default(), Amount::default());
        Marginals { most, facets: BTreeMap::new(), recent: HashMap::new(), inside, outside }
    }

    /// Counts events of a series inside the selection and outside it.
    pub fn add(&mut self, series: &Series, inside: Amount, outside: Amount) {
        self.inside.add(inside);
        self.outside.add(outside);
        if let Some([within, without]) = self.recent.get_mut(series) {
            within.add(inside);
            without.add(outside);
            return;
        }
        if self.recent.len() >= MOST_RECENT {
            self.settle();
        }
        self.recent.insert(series.clone(), [inside, outside]);
    }

    /// Everything counted inside.
    pub fn inside(&self) -> Amount {
        self.inside
    }

    /// Everything counted outside.
    pub fn outside(&self) -> Amount {
        self.outside
    }

    /// The attributes seen, the name of the series among them.
    pub fn facets(&mut self) -> impl Iterator<Item = &Facet> {
        self.settle();
        self.facets.keys()
    }

    /// Divides what was counted of whole series among the values of their attributes.
    fn settle(&mut self) {
        let mut recent: Vec<(Series, [Amount; 2])> = self.recent.drain().collect();
        recent.sort_unstable_by(|one, two| one.0.cmp(&two.0));
        for (series, amounts) in recent {
            self.count(Facet::Name, series.name(), amounts);
            for (key, value) in series.attributes() {
                self.count(Facet::Attribute(key.to_owned()), value, amounts);
            }
        }
    }

    fn count(&mut self, facet: Facet, value: &str, [inside, outside]: [Amount; 2]) {
        let most = self.most;
        let tally = self.facets.entry(facet).or_insert_with(|| Tally {
            inside: SpaceSaving::new(most),
            outside: SpaceSaving::new(most),
            all: [Amount::default(); 2],
            distinct: Distinct::default(),
        });
        for (sketch, amount) in [(&mut tally.inside, inside), (&mut tally.outside, outside)] {
            if amount != Amount::default() {
                sketch.add(value, amount);
            }
        }
        for (all, amount) in tally.all.iter_mut().zip([inside, outside]) {
            all.add(amount);
        }
        tally.distinct.add(value);
    }

    /// Every value of every facet, ordered by facet and value. The shares of one facet add up to
    /// one on each side that has events: series without an attribute are its missing value, and
    /// what is not counted by value is one value for all others.
    pub fn contrasts(&mut self) -> Vec<Contrast> {
        self.settle();
        let all = (self.inside, self.outside);
        let of = |(facet, tally): (&Facet, &Tally)| tally.contrasts(facet, all);
        self.facets.iter().flat_map(of).collect()
    }
}

impl Tally {
    fn contrasts(&self, facet: &Facet, all: (Amount, Amount)) -> Vec<Contrast> {
        let kept: BTreeSet<&Arc<str>> = self.inside.values().chain(self.outside.values()).collect();
        let (distinct, more) = self.distinct.count();
        let whole = (all, distinct);
        let [inside, outside] = self.all;
        let mut rest = (inside, outside);
        let mut found = Vec::with_capacity(kept.len() + 2);
        for value in &kept {
            let sides: (Count, Count) =
                (self.inside.of(value).into(), self.outside.of(value).into());
            rest = (rest.0.less(sides.0.into()), rest.1.less(sides.1.into()));
            let value = FacetValue::Is(value.to_string());
            found.push(Contrast::of(facet, value, sides, whole));
        }
        let missing = (all.0.less(inside), all.1.less(outside));
        let exactly = |(inside, outside): (Amount, Amount)| (inside.into(), outside.into());
        let are_events =
            |(inside, outside): (Amount, Amount)| inside.events > 0 || outside.events > 0;
        if are_events(missing) {
            found.push(Contrast::of(facet, FacetValue::Missing, exactly(missing), whole));
        }
        let values = distinct.saturating_sub(kept.len() as u64);
        if are_events(rest) || values > 0 {
            let others = FacetValue::Others { values, at_least: more };
            found.push(Contrast::of(facet, others, exactly(rest), whole));
        }
        found
    }
}

impl From<Counter> for Count {
    fn from(counter: Counter) -> Count {
        Count::from((counter.certain, counter.over))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_a_facet_is_all_time_whichever_value_events_have() {
        // Three of four values are counted by themselves at most, and one series has no such attribute.
        let mut marginals = Marginals::new(3);
        let amount = |events, waited_ns| Amount { events, waited_ns, ..Amount::default() };
        for (device, events) in [("a", 50), ("b", 40), ("c", 30), ("d", 1)] {
            let series = Series::with_attributes("block I/O", [("device", device)]);
            marginals.add(&series, amount(events, 10 * events), amount(2 * events, 7 * events));
        }
        marginals.add(&Series::named("log file sync"), amount(5, 9_000), amount(6, 12));
        let contrasts = marginals.contrasts();
        for facet in [Facet::Name, Facet::Attribute("device".to_owned())] {
            let of = contrasts.iter().filter(|contrast| contrast.facet == facet);
            let (inside, outside) = of.fold((0, 0), |(inside, outside), contrast| {
                (inside + contrast.in_selection.waited_ns, outside + contrast.in_rest.waited_ns)
            });
            assert_eq!((inside, outside), (1_210 + 9_000, 7 * 121 + 12), "{facet}");
        }
        let missing =
            contrasts.iter().find(|contrast| contrast.value == FacetValue::Missing).unwrap();
        assert_eq!((missing.in_selection.events, missing.in_selection.waited_ns), (5, 9_000));
    }
}

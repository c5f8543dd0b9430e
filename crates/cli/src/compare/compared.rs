//! What became of each kind of event.

use isotherm_analysis::{Comparison, MOST_JUDGED, PairComparison};
use isotherm_frame::shown_name;
use isotherm_views::{PairLine, Presence};

use crate::compare_args::CompareArgs;

/// Every kind of event with what became of it.
#[derive(Default)]
pub struct Compared {
    pub lines: Vec<PairLine>,
    /// What each line was made of.
    pub found: Vec<PairComparison>,
}

impl Compared {
    /// The pair that both sides have whose time waited has changed most.
    pub fn most_changed(&self) -> Option<(usize, &Comparison)> {
        let mut found = self.found.iter().enumerate();
        found.find_map(|(index, pair)| Some((index, pair.compared.as_ref()?)))
    }

    /// The kinds of events that both sides have and that are too many to be judged.
    pub fn not_judged(&self) -> usize {
        let both = self.lines.iter().filter(|line| line.presence == Presence::Both).count();
        both.saturating_sub(MOST_JUDGED)
    }

    pub fn nothing_to_compare(&self, args: &CompareArgs) -> String {
        let names = |presence: Presence| {
            let of = self.lines.iter().filter(|line| line.presence == presence);
            let names: Vec<String> = of.map(|line| shown_name(&line.label)).take(3).collect();
            if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
        };
        let filter = match &args.series {
            Some(text) => format!(" among series with '{text}'"),
            None => String::new(),
        };
        let by = if args.each { "name and attributes" } else { "name" };
        format!(
            "A and B have no series in common{filter}: only in A {}, only in B {}; series \
                 are matched by {by}",
            names(Presence::OnlyA),
            names(Presence::OnlyB)
        )
    }
}

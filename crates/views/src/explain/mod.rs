//! What distinguishes selected events, for people and for programs.

mod json;
mod text;

use isotherm_analysis::{Contrast, Explanation, Facet, FacetValue, Suggestion};
use isotherm_frame::Timestamp;

use crate::TimeFormat;
use crate::view::ViewMeta;

pub use json::ExplainJson;
pub use text::ExplainView;

/// What the view says about itself.
pub const META: ViewMeta = ViewMeta {
    name: "explain",
    about: "What distinguishes selected events from all others: which sessions, files, statements.",
    when: "Right when a map shows slow events and the question is which session, file or statement they belong to.",
    reading: &[
        "The first line says what is selected, and how much of all events and of all time waited \
         that is. An event is selected where it ended; its time lies where it was waited.",
        "`selected` and `others` are a value's share of the selected events and of all others; \
         `lift` is the first divided by the second; `events` and `waited` are those of the value in \
         the selection, `of time` is its share of the time waited there and `elsewhere` that of all \
         other time.",
        "Attributes come in the order of how well their values distinguish the two sides. \
         Values that are more common in the selection come first, in the same order: by their \
         part of the divergence of the two sides (Jeffreys 1946), of which 40 % instead of 2 % \
         has more than 90 % instead of 50 %.",
        "A value is listed only if its shares differ by more than chance explains, and by \
         enough to matter (3 % instead of 2 % is not enough). Chance is judged by a likelihood \
         ratio (Dunning 1993), with a limit that rises with the number of values of the \
         attribute.",
        "Shares of the time waited are compared, too: few slow events may own most of it. A share \
         counts if it differs by at least a tenth of all time and by more than waits as uneven as \
         these explain. Where nothing but a stretch of time is selected, the slow events (the \
         slowest tenth of all) are compared as well.",
        "Every value is counted, each attribute by itself. Beyond 1,024 values of an attribute on \
         either side, those with the most events are kept (Space-Saving, Metwally 2005): no value \
         with more than 0.1 % of the events of a side is ever left out. `(other)` says how many \
         values it holds, and `≥` marks a count that may be too small.",
        "Two values that always occur together have the same shares: counts cannot say which of \
         them is the cause.",
    ],
    example: "isotherm explain waits.csv --columns time,latency,session,file --unit ns --above 8ms",
};

/// An explanation and what is to be shown of it.
#[derive(Debug)]
pub struct ExplainSummary<'a> {
    /// What was counted.
    pub explanation: &'a Explanation,
    /// When the input begins and ends.
    pub span: (Timestamp, Timestamp),
    /// How moments are written.
    pub moments: &'a TimeFormat,
    /// The stretch of time, where it was chosen because it owns the most time waited.
    pub suggestion: Option<Suggestion>,
    /// The attributes wanted; all if none are named.
    pub by: &'a [String],
    /// The most values of each attribute to list.
    pub top: usize,
}

/// The values of one attribute, those first that tell the most.
struct Attribute<'a> {
    facet: &'a Facet,
    /// Those listed.
    listed: Vec<&'a Contrast>,
    /// Those not listed.
    rest: Rest,
    /// How many values differ noticeably.
    telling: usize,
    /// What its most telling value contributes.
    weight: f64,
}

/// Values that are not listed, counted together.
#[derive(Copy, Clone, Debug, Default)]
struct Rest {
    values: u64,
    /// Whether there may be more values.
    at_least: bool,
    inside: u64,
    outside: u64,
}

impl Rest {
    /// With these values, too.
    fn and<'a>(self, contrasts: impl Iterator<Item = &'a Contrast>) -> Rest {
        contrasts.fold(self, |rest, contrast| {
            let (values, more) = match contrast.value {
                FacetValue::Others { values, at_least } => (values, at_least),
                _ => (1, false),
            };
            Rest {
                values: rest.values + values,
                at_least: rest.at_least || more,
                inside: rest.inside.saturating_add(contrast.in_selection.events),
                outside: rest.outside.saturating_add(contrast.in_rest.events),
            }
        })
    }
}

impl ExplainSummary<'_> {
    /// The attributes wanted that have several values, those first that tell the most.
    fn attributes(&self) -> Vec<Attribute<'_>> {
        let contrasts = &self.explanation.contrasts;
        let chunks = contrasts.chunk_by(|one, two| one.facet == two.facet);
        let wanted = chunks.filter(|values| values.len() > 1 && self.wants(&values[0].facet));
        let mut attributes: Vec<Attribute<'_>> = wanted.map(|one| self.attribute(one)).collect();
        attributes.sort_by(|one, two| two.weight.total_cmp(&one.weight));
        attributes
    }

    fn wants(&self, facet: &Facet) -> bool {
        self.by.is_empty() || self.by.iter().any(|name| facet.is_called(name))
    }

    fn attribute<'a>(&self, values: &'a [Contrast]) -> Attribute<'a> {
        let mut ordered: Vec<&Contrast> = values.iter().collect();
        ordered.sort_by(|one, two| {
            let others = |one: &Contrast| matches!(one.value, FacetValue::Others { .. });
            let rank = |one: &Contrast| (others(one), !one.differs(), !one.is_more());
            rank(one).cmp(&rank(two)).then(two.contribution().total_cmp(&one.contribution()))
        });
        let more = |one: &&&Contrast| one.differs() && one.is_more();
        let weight = ordered.iter().filter(more).map(|one| one.contribution()).fold(0.0, f64::max);
        let telling = ordered.iter().filter(|one| one.differs()).count();
        let others = |one: &&&Contrast| matches!(one.value, FacetValue::Others { .. });
        let single = ordered.iter().take_while(|one| !others(one)).count();
        let rest = ordered.split_off(single.min(self.top));
        let rest = Rest::default().and(rest.into_iter());
        Attribute { facet: &values[0].facet, listed: ordered, rest, telling, weight }
    }
}

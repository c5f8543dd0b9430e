//! Where the time of a traced session went, as text and as JSON.

mod between;
mod binds;
mod distribution;
mod groups;
mod json;
mod page;
mod plans;
mod sections;
mod sentences;
mod statement;

use std::io::{self, Write};

use isotherm_oracle::trace::profile::{Profile, Rank};

use crate::Style;
use crate::grid::Page;
use crate::view::ViewMeta;

pub use json::TraceProfileJson;
pub use page::{PAGE_GROUPS, row_sources, trace_sections};

/// What the view says about itself.
pub const META: ViewMeta = ViewMeta {
    name: "profile",
    about: "Where the time of a traced Oracle session went: the answer first, then by event, by \
            statement, by block.",
    when: "Right for SQL traces (event 10046); `--format json` gives the same to programs.",
    reading: &[
        "Response time is what the user waited for the database: elapsed time of calls with \
         `dep=0` and of LOB calls, less idle waits in them, plus other waits between calls. It is \
         made of CPU, of waits, and of what is not accounted for: time in the run queue, waits \
         the server does not measure, rounding. A negative rest, over-accounted for, means that \
         CPU was counted during waits, too, or that the server's clock of CPU time is coarse.",
        "`elapsed` of a statement is its part of that; deeper calls (`dep` one more) are in it. \
         `own` is without them, so own times add up. Recursive statements are listed apart, with \
         the statement they were called from: their time is in it already.",
        "Idle waits, such as waiting for the client, are shown apart and are in no percentage of the \
         response time. A round trip is one wait for a message from the client: it may bundle several \
         calls. Where these waits are more than half of all time they come first, by the call before: \
         short ones of nearly the same length are round trips, waits of seconds are think time.",
        "Plans are those of the `STAT` lines of the statements shown, as tkprof has them: rows of \
         the first time a plan was written, on average and at most, and averages of consistent \
         gets, blocks read and written, and time. These hold what the lines below them cost.",
        "Percentiles are ranges: where the wait of this rank lies as far as buckets of 1/8 of an \
         octave know. `min` and `max` are exact.",
        "Distinct blocks are counted by HyperLogLog; `within` holds the truth 19 times of 20. \
         `each read n times` is blocks read by blocks distinct: how much of the reading repeated \
         itself.",
        "With `--by`, waits and calls are in groups: each wait with its time, each call with its time \
         outside of waits and deeper calls. The groups add up to the response time. The last \
         column shows how many took how long: one character for each factor of 4, from less than 1 \
         µs on; the highest bar is the group's most frequent range. Outliers lie beyond a gap, as in maps.",
        "Lines with `⚠` say what limits all this: a trace cut by its limit of size, one without \
         waits, damaged records, several sessions in one file.",
    ],
    example: "isotherm trace orcl_ora_4711.trc",
};

/// The profile as text for people.
#[derive(Clone, Debug)]
pub struct TraceProfileText {
    /// The number of characters in a line; `None` for as many as tables need.
    pub width: Option<usize>,
    /// How many statements, files and objects are listed.
    pub top: usize,
    /// What statements are put in order by.
    pub rank: Rank,
}

impl TraceProfileText {
    /// Writes the profile. Fails only when `out` does.
    pub fn render(&self, profile: &Profile, style: Style, out: &mut dyn Write) -> io::Result<()> {
        let mut page = Page::new(style, self.width);
        sections::headline(&mut page, profile);
        sections::findings(&mut page, profile);
        if let Some(groups) = &profile.groups {
            groups::list(&mut page, profile, groups, self.top);
            groups::longest(&mut page, groups);
            return page.write_to(out);
        }
        sections::between_calls(&mut page, profile);
        sections::time_spent(&mut page, profile);
        sections::calls(&mut page, profile);
        for recursive in [false, true] {
            statement::list(&mut page, profile, (self.rank, self.top), recursive);
        }
        let shown = statement::shown(profile, (self.rank, self.top));
        plans::list(&mut page, profile, &shown);
        binds::list(&mut page, profile, &shown);
        sections::reads(&mut page, profile, self.top);
        sections::ends(&mut page, profile);
        page.write_to(out)
    }
}

//! What is noted about prints.

use isotherm_frame::Series;

/// The first prints arrived together.
pub(super) const SAVED: &str = "the first prints came all at once: this is saved output, so its \
         own times are used";

/// No print has a time.
pub(super) const NO_TIMES: &str =
    "the input has no times: one print per interval is assumed (--interval)";

/// Totals were printed once only.
pub(crate) const ONE_TOTAL: &str = "these are totals since an unknown start, read once: they are \
        shown as one interval, and rates per second mean nothing (read them again after a while)";

/// A print has no time although others have.
pub(super) const NO_TIME: &str = "a print without a time is placed one interval after the last";

/// The same of totals that are those of the print before.
pub(super) const ADDS_NOTHING: &str = "a print without a time repeats the totals of the one before: it adds \
        nothing, neither counts nor time";

/// Times do not run forward.
pub(super) const SAME_TIME: &str = "several prints have the same time as the print before, or an \
        earlier one: each is placed one interval later (--interval)";

/// Counts are taken as totals.
pub(super) const NEVER_FELL: &str = "counts never fell from print to print: read as totals since the start \
                 (--temporality delta if each print is one interval)";

/// Counts of which the first print alone tells what they are.
pub(super) const DID_NOT_FALL: &str = "counts did not fall from the first print to the second: read as totals \
         since the start (--temporality delta if each print is one interval)";

/// Totals that nothing can be subtracted from.
pub(super) const NO_DIFFERENCE: &str = "one print of totals has no difference: nothing is counted (print them \
         again after a while, or leave out --temporality cumulative)";

/// Counts that were taken as totals are none.
pub(super) const KEEP_FALLING: &str =
    "counts keep falling: from here on each print is read as one interval";

/// A total at the end of the input lacks buckets that the one before has.
pub(super) const CUT_TOTAL: &str =
    "the input ends here: buckets that the print before has are missing";

/// Series that all prints have are not in the last one.
pub(super) fn cut_off(first: &Series, missing: usize) -> String {
    let others = match missing {
        ..=1 => String::new(),
        2 => " and 1 other".to_owned(),
        more => format!(" and {} others", more - 1),
    };
    format!(
        "the last print lacks {first}{others}, which all prints before it have: the input may be cut there"
    )
}

/// That a series is gone from the last print is all that speaks for intervals.
pub(super) fn gone(series: &Series) -> String {
    format!(
        "the last print lacks {series}, so each print is read as one interval: if the input is cut \
         there, they are totals (--temporality cumulative)"
    )
}

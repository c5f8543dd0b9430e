//! How large the parts of a recording may be. A file may hold anything: what is larger is refused
//! before memory is taken for it.

use std::path::Path;

use isotherm_frame::{Scheme, Series};

use crate::{RecordingError, codec};

/// Bucket bounds of one scheme.
pub(crate) const BOUNDS: usize = 65_536;
/// Bucket bounds of all schemes of a recording together: 32 MiB.
pub(crate) const ALL_BOUNDS: usize = 1 << 22;
/// Bytes of a series' name.
pub(crate) const NAME: usize = 1 << 16;
/// Bytes of the attributes of a series as JSON.
pub(crate) const ATTRIBUTES: usize = 1 << 20;
/// Bytes of any row of any table.
pub(crate) const ROW: i32 = 4 << 20;
/// Rows of `meta`.
pub(crate) const META: usize = 1_024;
/// Buckets of the frames that are read at once: 16 MiB with the time in them.
pub(crate) const BUCKETS_AT_ONCE: usize = 1 << 20;

/// Refuses what a reader would refuse.
pub(crate) fn check(series: &Series, scheme: &Scheme, path: &Path) -> Result<(), RecordingError> {
    let too_large = |what: &str, found: usize, most: usize| {
        let path = path.to_owned();
        Err(RecordingError::TooLarge { path, what: what.to_owned(), found, most })
    };
    let (bounds, name) = (scheme.bounds().len(), series.name().len());
    let attributes = codec::attributes_text(series).len();
    if bounds > BOUNDS {
        return too_large("bucket bounds", bounds, BOUNDS);
    }
    if name > NAME {
        return too_large("bytes in the name of a series", name, NAME);
    }
    if attributes > ATTRIBUTES {
        return too_large("bytes in the attributes of a series", attributes, ATTRIBUTES);
    }
    Ok(())
}

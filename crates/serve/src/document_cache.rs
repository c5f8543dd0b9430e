//! Documents that were just made: clients that show the same ask for the same one, tick after tick.

use std::io::Write;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use flate2::Compression;
use flate2::write::GzEncoder;
use isotherm_report::ReportError;

use crate::clock::now_us;
use crate::documents::Snapshot;
use crate::heavy::HeavyWork;
use crate::history::LiveHistory;
use crate::http::Refusal;
use crate::parameters::DocumentRequest;

/// So many documents are kept.
const KEPT: usize = 6;

/// What a document is of.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Key {
    request: DocumentRequest,
    can_mark: bool,
    tick: u64,
    /// A document tells the time: while nothing comes it is made again, a second later.
    second: u64,
}

/// A document, as it is and compressed.
#[derive(Debug)]
pub struct Document {
    whole: Vec<u8>,
    packed: OnceLock<Vec<u8>>,
}

type Made = Arc<OnceLock<Result<Arc<Document>, Refusal>>>;

/// The latest documents.
#[derive(Debug, Default)]
pub struct DocumentCache(Mutex<Vec<(Key, Made)>>);

impl DocumentCache {
    /// The document of this moment: made once, however many ask for it at the same time.
    pub fn document(
        &self,
        (history, heavy): (&LiveHistory, &HeavyWork),
        request: &DocumentRequest,
        can_mark: bool,
    ) -> Result<Arc<Document>, Refusal> {
        self.document_of(now_us() / 1_000_000, (history, heavy), request, can_mark)
    }

    /// The document of a second of the clock.
    fn document_of(
        &self,
        second: u64,
        (history, heavy): (&LiveHistory, &HeavyWork),
        request: &DocumentRequest,
        can_mark: bool,
    ) -> Result<Arc<Document>, Refusal> {
        let tick = history.read().changes.tick();
        let key = Key { request: request.clone(), can_mark, tick, second };
        let place = self.place(key);
        let make = || {
            let whole = heavy.alone(|| Snapshot::of(history).document(request, can_mark));
            let whole = whole.map_err(|error| refusal(&error))?;
            Ok(Arc::new(Document { whole, packed: OnceLock::new() }))
        };
        place.get_or_init(make).clone()
    }

    fn place(&self, key: Key) -> Made {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, made)) = kept.iter().find(|(own, _)| *own == key) {
            return Arc::clone(made);
        }
        let made = Made::default();
        kept.insert(0, (key, Arc::clone(&made)));
        kept.truncate(KEPT);
        made
    }
}

impl Document {
    /// As it is.
    pub fn whole(&self) -> &[u8] {
        &self.whole
    }

    /// Compressed.
    pub fn packed(&self) -> &[u8] {
        self.packed.get_or_init(|| packed(&self.whole))
    }
}

/// Bytes as gzip.
pub fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::new(5));
    // A vector takes everything.
    let written = gzip.write_all(bytes);
    written.and_then(|()| gzip.finish()).unwrap_or_default()
}

/// Why there is no document.
pub fn refusal(error: &ReportError) -> Refusal {
    match error {
        ReportError::Nothing => Refusal::malformed("nothing is kept in this part of time"),
        _ => Refusal::Failed(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use isotherm_analysis::History;

    use super::*;
    use crate::history::SourceAbout;

    #[test]
    fn a_document_is_made_once_in_a_second_and_tells_no_old_time() {
        let history = LiveHistory::new([(SourceAbout::default(), History::new(1 << 20))], None, 1);
        let (cache, heavy) = (DocumentCache::default(), HeavyWork::default());
        let of = |second| {
            let request = DocumentRequest::default();
            cache.document_of(second, (&history, &heavy), &request, false).unwrap()
        };
        let first = of(1);
        assert!(Arc::ptr_eq(&first, &of(1)));
        assert!(!Arc::ptr_eq(&first, &of(2)));
    }
}

//! The document inside the page: a header in JSON and blocks of numbers, compressed, as text.

use std::io::Write;

use base64ct::{Base64, Encoding};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;

use super::facet::{Facet, Octaves, tile_columns};
use super::pack::Blocks;
use super::raster::Raster;
use super::{Entry, Given, Report, ReportError, header};

/// One entry at one resolution, packed.
#[derive(Debug)]
pub(super) struct Packed {
    /// How many of the finest columns make one.
    pub factor: u64,
    /// The number of columns.
    pub columns: u64,
    /// The attribute and the values of each facet.
    pub facets: Vec<(String, Vec<String>)>,
    pub tile_columns: u64,
    pub octaves: Vec<u64>,
    pub blocks: Blocks,
}

/// The blocks of all entries one after the other; remembers where each begins.
#[derive(Debug, Default)]
pub(super) struct Body {
    bytes: Vec<u8>,
}

impl Packed {
    /// Packs an entry with `factor` of its finest columns to a column.
    pub fn of(given: &Given, entry: &Entry, factor: u64) -> Packed {
        let columns = entry.axis.columns_at(factor);
        let mut facets = Facet::of(entry, columns);
        let raster = Raster::of(given, entry, factor, &mut facets);
        let blocks = Blocks::of(&raster, &facets);
        Packed {
            factor,
            columns,
            facets: facets.into_iter().map(|facet| (facet.key, facet.values)).collect(),
            tile_columns: tile_columns(columns),
            octaves: Octaves::of(entry.latencies.scheme()).bounds,
            blocks,
        }
    }

    /// The number of bytes before compression.
    pub fn bytes(&self) -> usize {
        let blocks = &self.blocks;
        let optional = [&blocks.sums, &blocks.peaks].into_iter().flatten();
        let parts = [&blocks.state, &blocks.covered, &blocks.cells].into_iter();
        parts.chain(optional).chain(&blocks.facets).map(Vec::len).sum()
    }
}

impl Body {
    /// Appends a block; gives its offset and length.
    pub fn push(&mut self, block: &[u8]) -> (usize, usize) {
        let place = (self.bytes.len(), block.len());
        self.bytes.extend_from_slice(block);
        place
    }
}

/// The document as it stands in the page: the header's length, the header and the body, compressed
/// and in base64.
pub(super) fn data(report: &Report, packed: &[Packed]) -> Result<String, ReportError> {
    let mut body = Body::default();
    let header: Value = header::header(report, packed, &mut body);
    let header = serde_json::to_vec(&header)?;
    let length = u32::try_from(header.len()).unwrap_or(u32::MAX);
    let mut gzip = GzEncoder::new(Vec::new(), Compression::new(7));
    gzip.write_all(&length.to_le_bytes())?;
    gzip.write_all(&header)?;
    gzip.write_all(&body.bytes)?;
    Ok(Base64::encode_string(&gzip.finish()?))
}

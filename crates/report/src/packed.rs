//! An entry at one resolution as blocks of bytes, and the blocks of all of them together.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use isotherm_frame::{Detail, Scheme};

use crate::facet::{Facet, FacetCounts, Octaves, tile_columns};
use crate::input::ReportInput;
use crate::pack::Blocks;
use crate::raster::Raster;
use crate::report::Entry;

/// One entry at one resolution, packed.
#[derive(Debug)]
pub(super) struct Packed {
    /// How many of the finest columns make one.
    pub factor: u64,
    /// The number of columns.
    pub columns: u64,
    /// The attribute of each facet, its values, and the number of values not distinguished.
    pub facets: Vec<(String, Vec<String>, usize)>,
    pub tile_columns: u64,
    /// About the number of characters it takes in the document.
    pub size: usize,
    /// Those of them that its facets take.
    pub size_of_facets: usize,
    pub octaves: Vec<u64>,
    /// The rows: buckets, or of averages where means lie.
    pub bounds: Scheme,
    pub blocks: Blocks,
}

/// The blocks of all entries one after the other; remembers where each begins.
#[derive(Debug, Default)]
pub(super) struct Body {
    /// All blocks.
    pub bytes: Vec<u8>,
}

impl Packed {
    /// Packs an entry with `factor` of its finest columns to a column, and attributes counted in
    /// at most so many tiles, each in about so many bytes. Where there are no tiles, attributes are not
    /// counted.
    pub fn of(
        given: &ReportInput,
        entry: &Entry,
        factor: u64,
        (tiles, bytes): (u64, usize),
    ) -> Packed {
        let columns = entry.axis.columns_at(factor);
        let mut facets = match entry.latencies.detail() {
            Detail::Distribution if tiles > 0 => Facet::of(entry, columns, tiles),
            Detail::Distribution | Detail::Averages => Vec::new(),
        };
        let raster = Raster::of(given, entry, factor, &mut facets).at_means();
        let facets: Vec<FacetCounts> =
            facets.into_iter().map(|facet| facet.within(bytes)).collect();
        let blocks = Blocks::of(&raster, &facets);
        let named = facets.into_iter().map(|facet| (facet.key, facet.values, facet.others));
        Packed {
            factor,
            columns,
            facets: named.collect(),
            tile_columns: tile_columns(columns, tiles),
            size: size(blocks.each()),
            size_of_facets: size(blocks.facets.iter().map(Vec::as_slice)),
            octaves: Octaves::of(raster.timeline.total.scheme()).bounds,
            bounds: raster.timeline.total.scheme().clone(),
            blocks,
        }
    }
}

/// The characters that blocks take in the document.
fn size<'a>(mut blocks: impl Iterator<Item = &'a [u8]>) -> usize {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    let written = blocks.try_for_each(|block| gzip.write_all(block));
    // A vector takes everything.
    let bytes = written.and_then(|()| gzip.finish()).unwrap_or_default();
    bytes.len() * 4 / 3
}

impl Body {
    /// Appends a block; gives its offset and length.
    pub fn push(&mut self, block: &[u8]) -> (usize, usize) {
        let place = (self.bytes.len(), block.len());
        self.bytes.extend_from_slice(block);
        place
    }
}

//! The document inside the page: a header in JSON and blocks of numbers, compressed, as text.

use std::io::{self, Write};

use base64ct::{Base64, Encoding};
use flate2::Compression;
use flate2::write::GzEncoder;
use isotherm_frame::{shortened, visible};
use serde_json::Value;

use super::facet::{Facet, FacetCounts, Octaves, tile_columns};
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
    /// The attribute of each facet, its values, and the number of values not told apart.
    pub facets: Vec<(String, Vec<String>, usize)>,
    pub tile_columns: u64,
    /// About the number of characters it takes in the document.
    pub size: usize,
    /// Those of them that its facets take.
    pub size_of_facets: usize,
    pub octaves: Vec<u64>,
    pub blocks: Blocks,
}

/// The blocks of all entries one after the other; remembers where each begins.
#[derive(Debug, Default)]
pub(super) struct Body {
    bytes: Vec<u8>,
}

impl Packed {
    /// Packs an entry with `factor` of its finest columns to a column, and attributes counted in
    /// at most so many tiles, each in about so many bytes.
    pub fn of(given: &Given, entry: &Entry, factor: u64, (tiles, bytes): (u64, usize)) -> Packed {
        let columns = entry.axis.columns_at(factor);
        let mut facets = Facet::of(entry, columns, tiles);
        let raster = Raster::of(given, entry, factor, &mut facets);
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
            octaves: Octaves::of(entry.latencies.scheme()).bounds,
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

/// The document as it stands in the page: the header's length, the header and the body, compressed
/// and in base64.
pub(super) fn data(report: &Report, packed: &[(usize, &Packed)]) -> Result<String, ReportError> {
    let mut body = Body::default();
    let mut header: Value = header::header(report, packed, &mut body);
    make_visible(&mut header);
    let header = serde_json::to_vec(&header)?;
    let length = u32::try_from(header.len()).unwrap_or(u32::MAX);
    Ok(compressed(&[&length.to_le_bytes(), &header, &body.bytes])?)
}

/// The most characters of a text in the page's document.
const LONGEST_TEXT: usize = 4_000;

/// What the page shows, it shows to people: every character of its texts is visible, and what is
/// very long loses its middle. The report as JSON has all of it.
fn make_visible(value: &mut Value) {
    let shown = |text: &str| visible(&shortened(text, LONGEST_TEXT)).into_owned();
    match value {
        Value::String(text) => *text = shown(text),
        Value::Array(values) => values.iter_mut().for_each(make_visible),
        Value::Object(object) => {
            for (key, mut value) in std::mem::take(object) {
                make_visible(&mut value);
                object.insert(shown(&key), value);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// These parts one after the other, compressed, as text.
pub(super) fn compressed(parts: &[&[u8]]) -> io::Result<String> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::new(7));
    for part in parts {
        gzip.write_all(part)?;
    }
    Ok(Base64::encode_string(&gzip.finish()?))
}

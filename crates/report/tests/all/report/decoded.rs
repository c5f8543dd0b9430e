//! Reads the document in a page back, by the description of its format alone.

use std::collections::BTreeMap;
use std::io::Read;

use base64ct::{Base64, Encoding};
use flate2::read::GzDecoder;
use serde_json::Value;

/// The document.
pub struct Decoded {
    pub header: Value,
    pub entries: Vec<Entry>,
}

/// One entry, with a row of counts for each column.
pub struct Entry {
    pub head: Value,
    pub states: Vec<u64>,
    pub covered: Vec<u64>,
    pub cells: Vec<Vec<u64>>,
    pub sums: Option<Vec<u64>>,
    /// Of each column what was waited in its cells, where that does not follow from counts and sums.
    pub times: Option<Vec<Option<SpreadTime>>>,
    /// In thousandths.
    pub unplaced: Option<Vec<u64>>,
    pub peaks: Option<Vec<Vec<u64>>>,
    pub facets: BTreeMap<String, Facet>,
}

/// What was waited in a column.
pub struct SpreadTime {
    pub total_ns: u64,
    /// In each cell, to one per cent.
    pub cells_ns: Vec<f64>,
}

/// By tile, value and octave.
pub struct Facet {
    pub key: String,
    pub values: Vec<String>,
    /// How many values are not distinguished.
    pub others: u64,
    pub tiles: Vec<Vec<Vec<u64>>>,
}

/// The text between two others.
pub fn between<'a>(text: &'a str, before: &str, after: &str) -> &'a str {
    let start = text.find(before).unwrap() + before.len();
    let length = text[start..].find(after).unwrap();
    &text[start..start + length]
}

/// What is packed in the page as base64 of gzip.
pub fn unpacked(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let packed = Base64::decode_vec(text).unwrap();
    GzDecoder::new(packed.as_slice()).read_to_end(&mut bytes).unwrap();
    bytes
}

/// Numbers of a block, one after the other.
struct Numbers<'a>(&'a [u8]);

impl<'a> Numbers<'a> {
    fn of(body: &'a [u8], place: &Value) -> Option<Numbers<'a>> {
        let (offset, length) = (place[0].as_u64()? as usize, place[1].as_u64()? as usize);
        Some(Numbers(&body[offset..offset + length]))
    }

    fn next(&mut self) -> u64 {
        let (mut number, mut shift) = (0, 0);
        loop {
            let (&byte, rest) = self.0.split_first().expect("a number is missing");
            self.0 = rest;
            number |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 {
                return number;
            }
        }
    }

    fn runs(mut self) -> Vec<u64> {
        let mut values = Vec::new();
        while !self.0.is_empty() {
            let value = self.next();
            values.extend((0..self.next()).map(|_| value));
        }
        values
    }
}

impl Decoded {
    pub fn read(page: &str) -> Decoded {
        let data = between(page, "id=\"isotherm-data\">", "</script>");
        let bytes = unpacked(data);
        let (length, rest) = bytes.split_first_chunk().unwrap();
        let (header, body) = rest.split_at(u32::from_le_bytes(*length) as usize);
        let header: Value = serde_json::from_slice(header).unwrap();
        let entries = header["entries"].as_array().unwrap();
        let entries = entries.iter().map(|head| Entry::read(head, body)).collect();
        Decoded { header, entries }
    }
}

impl Entry {
    fn read(head: &Value, body: &[u8]) -> Entry {
        let states = Numbers::of(body, &head["state"]).unwrap().runs();
        assert_eq!(states.len() as u64, head["columns"].as_u64().unwrap());
        let covered = Numbers::of(body, &head["covered"]).unwrap().runs();
        assert_eq!(covered.len(), states.len());
        let rows = head["bounds_ns"].as_array().unwrap().len() - 1;
        let cells = cells(&states, rows, Numbers::of(body, &head["cells"]).unwrap());
        let sums = Numbers::of(body, &head["sums"]).map(|mut numbers| {
            let sums = states.iter().map(|&state| if state == 0 { numbers.next() } else { 0 });
            let sums: Vec<u64> = sums.collect();
            assert!(numbers.0.is_empty());
            sums
        });
        let times = Numbers::of(body, &head["times"]).map(|mut numbers| {
            let bounds: Vec<Option<u64>> =
                head["bounds_ns"].as_array().unwrap().iter().map(Value::as_u64).collect();
            let of = |(&state, counts): (&u64, &Vec<u64>)| {
                let spread = state == 0 && numbers.next() == 1;
                spread.then(|| SpreadTime::read(&bounds, counts, &mut numbers))
            };
            let times: Vec<Option<SpreadTime>> = states.iter().zip(&cells).map(of).collect();
            assert!(numbers.0.is_empty());
            times
        });
        let unplaced = Numbers::of(body, &head["unplaced"]).map(Numbers::runs);
        let peaks = Numbers::of(body, &head["peaks"]).map(|mut numbers| {
            let mut of = |&count: &u64| if count > 0 { numbers.next() } else { 0 };
            let peaks = cells.iter().map(|column| column.iter().map(&mut of).collect()).collect();
            assert!(numbers.0.is_empty());
            peaks
        });
        let facets = head["facets"].as_array().unwrap().iter().map(|facet| {
            let read = Facet::read(facet, head, body);
            (read.key.clone(), read)
        });
        let (facets, head) = (facets.collect(), head.clone());
        Entry { head, states, covered, cells, sums, times, unplaced, peaks, facets }
    }

    /// The events of each tile, from the cells.
    pub fn tile_events(&self) -> Vec<u64> {
        let tile = self.head["tile_columns"].as_u64().unwrap() as usize;
        self.cells.chunks(tile).map(|columns| columns.iter().flatten().sum()).collect()
    }
}

fn cells(states: &[u64], rows: usize, mut numbers: Numbers) -> Vec<Vec<u64>> {
    let mut of = |state: u64| if state == 0 { column(rows, &mut numbers) } else { vec![0; rows] };
    let cells = states.iter().map(|&state| of(state)).collect();
    assert!(numbers.0.is_empty());
    cells
}

fn column(rows: usize, numbers: &mut Numbers) -> Vec<u64> {
    let mut counts = vec![0; rows];
    let mut row = 0;
    for _ in 0..numbers.next() {
        row += numbers.next() as usize;
        for _ in 0..numbers.next() {
            counts[row] = numbers.next();
            assert!(counts[row] > 0, "only filled cells are written");
            row += 1;
        }
    }
    counts
}

impl SpreadTime {
    fn read(bounds: &[Option<u64>], counts: &[u64], numbers: &mut Numbers) -> SpreadTime {
        let alone = |code: u64| (code >> 6) as f64 * f64::from(1_u32 << (code & 63).min(31));
        let total_ns = numbers.next();
        let mut cells_ns = vec![0.0; counts.len()];
        for (row, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            let lo = bounds[row].unwrap();
            let middle = bounds[row + 1].map_or(lo, |hi| lo + (hi - lo) / 2);
            let steps = match numbers.next() {
                0 => {
                    cells_ns[row] = alone(numbers.next());
                    continue;
                }
                code if code % 2 == 0 => (code / 2) as f64 - 1.0,
                code => -((code - 1) as f64) / 2.0,
            };
            cells_ns[row] = count as f64 * middle as f64 * (1.0 + steps / 128.0);
        }
        let mut row = 0;
        for _ in 0..numbers.next() {
            row += numbers.next() as usize;
            assert_eq!(counts[row], 0, "events are beside their time");
            cells_ns[row] = alone(numbers.next());
            row += 1;
        }
        SpreadTime { total_ns, cells_ns }
    }
}

impl Facet {
    fn read(facet: &Value, head: &Value, body: &[u8]) -> Facet {
        let mut numbers = Numbers::of(body, &facet["block"]).unwrap();
        let texts = facet["values"].as_array().unwrap().iter();
        let values: Vec<String> = texts.map(|value| value.as_str().unwrap().to_owned()).collect();
        let octaves = head["octaves_ns"].as_array().unwrap().len() - 1;
        let columns = head["columns"].as_u64().unwrap();
        let tiles = columns.div_ceil(head["tile_columns"].as_u64().unwrap());
        assert!(tiles <= 240);
        let mut row = || {
            let mut counts = vec![0; octaves];
            let mut octave = 0;
            for _ in 0..numbers.next() {
                octave += numbers.next() as usize;
                counts[octave] = numbers.next();
                octave += 1;
            }
            counts
        };
        let others = facet["others"].as_u64().unwrap();
        let rows = values.len() + usize::from(others > 0);
        let tiles = (0..tiles).map(|_| (0..rows).map(|_| row()).collect()).collect();
        assert!(numbers.0.is_empty());
        Facet { key: facet["key"].as_str().unwrap().to_owned(), values, others, tiles }
    }

    /// The events of each tile.
    pub fn sums(&self) -> Vec<u64> {
        self.tiles.iter().map(|values| values.iter().flatten().sum()).collect()
    }
}

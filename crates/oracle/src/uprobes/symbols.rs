//! Where functions are in a program file (ELF, 64 bits, little-endian).

use std::io::{self, Read, Seek, SeekFrom};

use thiserror::Error;

/// A function of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Its name.
    pub name: String,
    /// Its address, as `nm` prints it.
    pub address: u64,
    /// Its first bytes, at most sixteen; none if the file does not hold them.
    pub code: Vec<u8>,
}

/// Why a file cannot be searched for functions.
#[derive(Debug, Error)]
pub enum SymbolsError {
    /// It cannot be read.
    #[error("it cannot be read: {0}")]
    Unreadable(#[from] io::Error),
    /// It is not a program, or of another kind.
    #[error("it is not a 64-bit program of Linux (ELF)")]
    NotAProgram,
    /// It is for another processor than x86-64.
    #[error("it is a program for another processor than x86-64 (ELF machine {0})")]
    OtherProcessor(u16),
    /// Its tables contradict themselves.
    #[error("its tables are damaged: {0}")]
    Damaged(&'static str),
    /// It has no symbol table at all.
    #[error("it has no symbol table: it was stripped, and functions cannot be found by name")]
    Stripped,
}

/// One section header, as far as it is needed.
#[derive(Copy, Clone)]
struct Section {
    kind: u32,
    link: u32,
    offset: u64,
    size: u64,
}

/// One loaded part of the file.
struct Segment {
    offset: u64,
    address: u64,
    size: u64,
}

/// Finds functions by name; those that are not there are left out. Reads the tables of the file
/// only, which in Oracle's program of some hundred megabytes are some ten.
pub fn find_symbols(
    file: &mut (impl Read + Seek),
    names: &[&str],
) -> Result<Vec<Symbol>, SymbolsError> {
    let header = at::<64>(file, 0).map_err(|_| SymbolsError::NotAProgram)?;
    // Magic number, 64 bits, little-endian.
    if header.get(..6) != Some(b"\x7fELF\x02\x01") {
        return Err(SymbolsError::NotAProgram);
    }
    match short(&header, 18) {
        62 => {}
        other => return Err(SymbolsError::OtherProcessor(other)),
    }
    let sections = sections(file, &header)?;
    let tables: Vec<Section> =
        sections.iter().copied().filter(|section| matches!(section.kind, 2 | 11)).collect();
    if tables.is_empty() {
        return Err(SymbolsError::Stripped);
    }
    let mut found: Vec<Symbol> = Vec::new();
    for table in tables {
        let strings = usize::try_from(table.link).ok().and_then(|link| sections.get(link));
        let strings = strings.ok_or(SymbolsError::Damaged("symbols without names"))?;
        for symbol in symbols_of(file, table, *strings, names)? {
            if !found.iter().any(|known| known.name == symbol.name) {
                found.push(symbol);
            }
        }
    }
    let segments = segments(file, &header)?;
    for symbol in &mut found {
        symbol.code = code(file, &segments, symbol.address);
    }
    Ok(found)
}

fn sections(file: &mut (impl Read + Seek), header: &[u8]) -> Result<Vec<Section>, SymbolsError> {
    let (offset, count) = (long(header, 40), u64::from(short(header, 60)));
    if offset == 0 || count == 0 {
        return Err(SymbolsError::Stripped);
    }
    let damaged = || SymbolsError::Damaged("sections beyond its end");
    let mut found = Vec::new();
    for index in 0..count {
        let place = index.checked_mul(64).and_then(|at| at.checked_add(offset));
        let entry = at::<64>(file, place.ok_or_else(damaged)?).map_err(|_| damaged())?;
        let (kind, link) = (word(&entry, 4), word(&entry, 40));
        found.push(Section { kind, link, offset: long(&entry, 24), size: long(&entry, 32) });
    }
    Ok(found)
}

fn segments(file: &mut (impl Read + Seek), header: &[u8]) -> Result<Vec<Segment>, SymbolsError> {
    let (offset, count) = (long(header, 32), u64::from(short(header, 56)));
    let damaged = || SymbolsError::Damaged("segments beyond its end");
    let mut found = Vec::new();
    for index in 0..count {
        let place = index.checked_mul(56).and_then(|at| at.checked_add(offset));
        let entry = at::<56>(file, place.ok_or_else(damaged)?).map_err(|_| damaged())?;
        if word(&entry, 0) == 1 {
            let (offset, address, size) = (long(&entry, 8), long(&entry, 16), long(&entry, 32));
            found.push(Segment { offset, address, size });
        }
    }
    Ok(found)
}

/// The functions of one table whose names are asked for.
fn symbols_of(
    file: &mut (impl Read + Seek),
    table: Section,
    strings: Section,
    names: &[&str],
) -> Result<Vec<Symbol>, SymbolsError> {
    const ENTRY: usize = 24;
    let places = places(file, strings, names)?;
    file.seek(SeekFrom::Start(table.offset))?;
    let mut entries = io::BufReader::with_capacity(1 << 16, file.take(table.size));
    let mut entry = [0; ENTRY];
    let mut found = Vec::new();
    while entries.read_exact(&mut entry).is_ok() {
        let is_code = matches!(entry[4] & 0xf, 0 | 2) && short(&entry, 6) != 0;
        let name = places.iter().find(|(place, _)| *place == u64::from(word(&entry, 0)));
        if let (true, Some((_, name))) = (is_code, name) {
            let address = long(&entry, 8);
            found.push(Symbol { name: (*name).to_owned(), address, code: Vec::new() });
        }
    }
    Ok(found)
}

/// Where in a table of strings the names end strings: linkers let one string be the end of
/// another, so that what stands before a name tells nothing.
fn places<'n>(
    file: &mut (impl Read + Seek),
    strings: Section,
    names: &[&'n str],
) -> Result<Vec<(u64, &'n str)>, SymbolsError> {
    /// More than the names of any program take.
    const MOST: u64 = 1 << 28;
    if strings.size > MOST {
        return Err(SymbolsError::Damaged("names of more than 256 MiB"));
    }
    file.seek(SeekFrom::Start(strings.offset))?;
    let mut text = Vec::new();
    file.take(strings.size).read_to_end(&mut text)?;
    let mut found = Vec::new();
    for name in names {
        let ended = [name.as_bytes(), b"\0"].concat();
        let all = memchr::memmem::find_iter(&text, &ended);
        found.extend(all.filter_map(|place| Some((u64::try_from(place).ok()?, *name))));
    }
    Ok(found)
}

/// The first bytes at an address; none where the file does not hold it.
fn code(file: &mut (impl Read + Seek), segments: &[Segment], address: u64) -> Vec<u8> {
    let holds = |segment: &&Segment| {
        address.checked_sub(segment.address).is_some_and(|within| within < segment.size)
    };
    let mut code = Vec::new();
    let Some(segment) = segments.iter().find(holds) else { return code };
    let within = address.saturating_sub(segment.address);
    let Some(place) = segment.offset.checked_add(within) else { return code };
    let length = segment.size.saturating_sub(within).min(16);
    if file.seek(SeekFrom::Start(place)).is_ok() {
        // A file that ends here has told what it holds.
        let _ = file.take(length).read_to_end(&mut code);
    }
    code
}

fn at<const N: usize>(file: &mut (impl Read + Seek), place: u64) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    file.seek(SeekFrom::Start(place))?;
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// The little-endian number of `N` bytes at `place`; zero beyond the end.
fn bytes<const N: usize>(from: &[u8], place: usize) -> [u8; N] {
    from.get(place..).and_then(|rest| rest.first_chunk()).copied().unwrap_or([0; N])
}

fn short(from: &[u8], place: usize) -> u16 {
    u16::from_le_bytes(bytes(from, place))
}

fn word(from: &[u8], place: usize) -> u32 {
    u32::from_le_bytes(bytes(from, place))
}

fn long(from: &[u8], place: usize) -> u64 {
    u64::from_le_bytes(bytes(from, place))
}

#[cfg(test)]
mod tests;

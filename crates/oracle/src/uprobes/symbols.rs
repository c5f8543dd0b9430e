//! Where functions are in a program file (ELF, 64 bits, little-endian).

use std::io::{self, Read, Seek};

use object::read::elf::{FileHeader, ProgramHeader, SectionHeader, Sym};
use object::read::{ReadCache, ReadRef};
use object::{LittleEndian, elf};
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
#[non_exhaustive]
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

type Header = elf::FileHeader64<LittleEndian>;
type Section = elf::SectionHeader64<LittleEndian>;
type Segment = elf::ProgramHeader64<LittleEndian>;

/// Little-endian, as every number in these files.
const LE: LittleEndian = LittleEndian;
/// More than any table of symbols or names of a program takes, bytes.
const MOST_BYTES: u64 = 1 << 28;

/// Finds functions by name; those that are not there are left out. Reads the tables of the file
/// only, which in Oracle's program of some hundred megabytes are some ten.
pub fn find_symbols(
    file: &mut (impl Read + Seek),
    names: &[&str],
) -> Result<Vec<Symbol>, SymbolsError> {
    // The cache has no words for what the system refuses, such as to read a directory.
    let _ = file.read(&mut [0])?;
    let file = &ReadCache::new(file);
    let header = Header::parse(file).map_err(|_| SymbolsError::NotAProgram)?;
    if !header.is_little_endian() {
        return Err(SymbolsError::NotAProgram);
    }
    match header.e_machine(LE) {
        elf::EM_X86_64 => {}
        other => return Err(SymbolsError::OtherProcessor(other.0)),
    }
    let sections = header
        .section_headers(LE, file)
        .map_err(|_| SymbolsError::Damaged("sections beyond its end"))?;
    // A program has at most one table of each kind.
    let table = |kind| sections.iter().find(|section| section.sh_type(LE) == kind);
    let mut tables =
        [table(elf::SHT_SYMTAB), table(elf::SHT_DYNSYM)].into_iter().flatten().peekable();
    if tables.peek().is_none() {
        return Err(SymbolsError::Stripped);
    }
    let mut found: Vec<Symbol> = Vec::new();
    for table in tables {
        let strings = sections.get(table.sh_link(LE) as usize);
        let strings = strings.ok_or(SymbolsError::Damaged("symbols without names"))?;
        for symbol in symbols_of(file, table, strings, names)? {
            if !found.iter().any(|known| known.name == symbol.name) {
                found.push(symbol);
            }
        }
    }
    let segments = header
        .program_headers(LE, file)
        .map_err(|_| SymbolsError::Damaged("segments beyond its end"))?;
    for symbol in &mut found {
        symbol.code = code(file, segments, symbol.address);
    }
    Ok(found)
}

/// The functions of one table whose names are asked for.
fn symbols_of<'f>(
    file: impl ReadRef<'f>,
    table: &Section,
    strings: &Section,
    names: &[&str],
) -> Result<Vec<Symbol>, SymbolsError> {
    if table.sh_size(LE).max(strings.sh_size(LE)) > MOST_BYTES {
        return Err(SymbolsError::Damaged("a table of more than 256 MiB"));
    }
    let damaged = |_| SymbolsError::Damaged("symbols or their names beyond its end");
    let entries: &[elf::Sym64<LittleEndian>] = table.data_as_array(LE, file).map_err(damaged)?;
    let places = places(strings.data(LE, file).map_err(damaged)?, names);
    let code = entries.iter().filter(|entry| {
        matches!(entry.st_type(), elf::STT_NOTYPE | elf::STT_FUNC) && !entry.is_undefined(LE)
    });
    let found = code.filter_map(|entry| {
        let (_, name) = places.iter().find(|(place, _)| *place == entry.st_name(LE) as usize)?;
        let address = entry.st_value(LE);
        Some(Symbol { name: (*name).to_owned(), address, code: Vec::new() })
    });
    Ok(found.collect())
}

/// Where in a table of strings the names end strings: linkers let one string be the end of
/// another, so that what stands before a name tells nothing.
fn places<'n>(strings: &[u8], names: &[&'n str]) -> Vec<(usize, &'n str)> {
    let mut found = Vec::new();
    for name in names {
        let ended = [name.as_bytes(), b"\0"].concat();
        found.extend(memchr::memmem::find_iter(strings, &ended).map(|place| (place, *name)));
    }
    found
}

/// The first bytes at an address; none where the file does not hold it.
fn code<'f>(file: impl ReadRef<'f>, segments: &[Segment], address: u64) -> Vec<u8> {
    let mut loaded = segments.iter().filter(|segment| segment.p_type(LE) == elf::PT_LOAD);
    let code = loaded.find_map(|segment| {
        let within = address.checked_sub(segment.p_vaddr(LE))?;
        let left = segment.p_filesz(LE).checked_sub(within).filter(|left| *left > 0)?;
        file.read_bytes_at(segment.p_offset(LE).checked_add(within)?, left.min(16)).ok()
    });
    code.unwrap_or_default().to_vec()
}

#[cfg(test)]
mod tests;

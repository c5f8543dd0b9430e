use std::io::Cursor;

use super::*;

/// A program file with one table of symbols, made field by field as the format describes it:
/// a header, one loaded segment that is the whole file at address 0x1000, code, strings, symbols,
/// and three sections.
fn program(symbols: &[(u32, u8, u16, u64)], strings: &[u8]) -> Vec<u8> {
    let mut file = vec![0_u8; 64 + 56];
    file[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
    file[18] = 62;
    file[32] = 64;
    // How long a segment's entry is and how many there are, then the same of sections.
    (file[54], file[56]) = (56, 1);
    (file[58], file[60]) = (64, 3);
    file[64] = 1;
    file[64 + 17] = 0x10;
    file[64 + 33] = 0x10;
    // 120 is where code begins: at address 0x1000 + 120 = 0x1078.
    file.extend([0x66, 0x90, 0x55, 0x48, 0x89, 0xe5, 0xc3, 0x90]);
    let strings_at = file.len() as u64;
    file.extend(strings);
    let symbols_at = file.len() as u64;
    for (name, kind, section, address) in symbols {
        file.extend(name.to_le_bytes());
        file.extend([*kind, 0]);
        file.extend(section.to_le_bytes());
        file.extend(address.to_le_bytes());
        file.extend(8_u64.to_le_bytes());
    }
    let sections_at = file.len() as u64;
    file[40..48].copy_from_slice(&sections_at.to_le_bytes());
    let table = (symbols.len() * 24) as u64;
    for (kind, link, at, size) in
        [(0, 0, 0, 0), (3, 0, strings_at, strings.len() as u64), (2, 1, symbols_at, table)]
    {
        let mut section = [0_u8; 64];
        section[4..8].copy_from_slice(&u32::to_le_bytes(kind));
        section[24..32].copy_from_slice(&at.to_le_bytes());
        section[32..40].copy_from_slice(&size.to_le_bytes());
        section[40..44].copy_from_slice(&u32::to_le_bytes(link));
        file.extend(section);
    }
    file
}

fn find(file: Vec<u8>, names: &[&str]) -> Result<Vec<Symbol>, SymbolsError> {
    find_symbols(&mut Cursor::new(file), names)
}

const STRINGS: &[u8] = b"\0xkskthewt\0kskthbwt\0";

#[test]
fn functions_are_found_with_their_first_bytes() {
    // kskthewt is the end of xkskthewt, as linkers fold strings.
    let file = program(&[(0, 0, 0, 0), (1, 2, 1, 5), (2, 0x12, 1, 0x1078), (11, 2, 0, 9)], STRINGS);
    let found = find(file, &["kskthewt", "kskthbwt", "kcbgtcr"]).unwrap();
    let wanted = Symbol {
        name: "kskthewt".to_owned(),
        address: 0x1078,
        code: [&[0x66, 0x90, 0x55, 0x48, 0x89, 0xe5, 0xc3, 0x90], &STRINGS[..8]].concat(),
    };
    assert_eq!(found, [wanted], "kskthbwt is not defined in this file, and data is no function");
}

#[test]
fn an_address_outside_the_file_has_no_bytes() {
    let found = find(program(&[(2, 2, 1, 0x9999_0000)], STRINGS), &["kskthewt"]).unwrap();
    assert!(found[0].code.is_empty());
}

#[test]
fn what_is_no_program_is_refused() {
    assert!(matches!(find(Vec::new(), &[]), Err(SymbolsError::NotAProgram)));
    assert!(matches!(find(b"#!/bin/sh\n".to_vec(), &[]), Err(SymbolsError::NotAProgram)));
    let mut arm = program(&[], STRINGS);
    arm[18] = 183;
    assert!(matches!(find(arm, &[]), Err(SymbolsError::OtherProcessor(183))));
    let mut stripped = program(&[], STRINGS);
    stripped[60] = 2;
    assert!(matches!(find(stripped, &[]), Err(SymbolsError::Stripped)));
}

#[test]
fn the_running_program_is_read_as_nm_reads_it() {
    let mut file = std::fs::File::open("/proc/self/exe").unwrap();
    let found = find_symbols(&mut file, &["main", "no_such_function"]).unwrap();
    assert_eq!(found.len(), 1);
    assert!(!found[0].code.is_empty() && found[0].address > 0);
}

proptest::proptest! {
    #[test]
    fn damage_is_an_error_or_less_is_found(
        cut in 0_usize..500,
        at in 0_usize..400,
        byte in proptest::prelude::any::<u8>(),
    ) {
        let mut file = program(&[(2, 2, 1, 0x1078), (12, 2, 1, 0x107a)], STRINGS);
        if let Some(place) = file.get_mut(at) {
            *place = byte;
        }
        file.truncate(cut);
        let _ = find(file, &["kskthewt", "kskthbwt"]);
    }
}

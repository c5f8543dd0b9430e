//! Any bytes as what a PostgreSQL server answers, whole and in pieces; any text as its address.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: (u8, &[u8])| {
    let (piece, bytes) = input;
    let whole = isotherm_load::postgres::answers(bytes, usize::MAX);
    let pieces = isotherm_load::postgres::answers(bytes, usize::from(piece));
    assert_eq!(whole, pieces);
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = isotherm_load::postgres::address(text);
    }
});

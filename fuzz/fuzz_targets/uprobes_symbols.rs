//! Any bytes as a program file: searched or refused.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut file = std::io::Cursor::new(bytes);
    if let Ok(found) = isotherm_oracle::uprobes::find_symbols(&mut file, &["kskthewt", "main"]) {
        assert!(found.len() <= 2 && found.iter().all(|symbol| symbol.code.len() <= 16));
    }
});

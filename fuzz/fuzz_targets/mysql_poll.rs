//! Any bytes as the messages that a MySQL server answers a poll with.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = isotherm_live::mysql_poll(bytes);
});

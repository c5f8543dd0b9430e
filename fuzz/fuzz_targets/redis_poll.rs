//! Any bytes as the answers of a Redis server to a poll.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = isotherm_live::redis_poll(b"run_id:1\r\n", bytes);
});

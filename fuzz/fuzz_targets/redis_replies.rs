//! Any bytes as replies of a Redis server: a reply, a beginning of one, or an error; a reply takes
//! no more bytes than there are, and its beginnings ask for no more than it has.
#![no_main]

use isotherm_load::redis::replies::{Read, read};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| match read(bytes) {
    Ok(Read::Whole(reply, length)) => {
        assert!(length <= bytes.len());
        let half = &bytes[..length / 2];
        assert!(matches!(read(half), Ok(Read::Part(needed)) if needed <= length));
        assert_eq!(read(&bytes[..length]), Ok(Read::Whole(reply, length)));
    }
    Ok(Read::Part(needed)) => assert!(needed > bytes.len()),
    Err(error) => assert!(!error.to_string().is_empty()),
});

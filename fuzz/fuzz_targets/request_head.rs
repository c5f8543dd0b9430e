//! Any bytes as the head of a request: it is refused, or it reads the same once it has come whole,
//! whatever follows.
#![no_main]

use isotherm_serve::parse_head;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(Some((head, length))) = parse_head(bytes) else { return };
    assert!(bytes[..length].ends_with(b"\r\n\r\n"));
    assert!(head.path.starts_with('/') && !head.path.contains(['?', '\r', '\n', ' ']));
    assert!(!head.host.contains(['\r', '\n']));
    let alone = parse_head(&bytes[..length]);
    assert_eq!(alone, Ok(Some((head.clone(), length))));
    // A part of it is never another request.
    assert!(!matches!(parse_head(&bytes[..length - 1]), Ok(Some(_))));
    let followed = [&bytes[..length], b"GET / HTTP/1.1\r\nHost: other\r\n\r\n"].concat();
    assert_eq!(parse_head(&followed), Ok(Some((head, length))));
});

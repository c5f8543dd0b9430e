//! Any text as the address and the headers of `isotherm push`: refused, or nothing in the address can
//! begin another line of a request or is a name or password.
#![no_main]

use isotherm_metrics::{OtlpAddress, pairs_of_environment};

libfuzzer_sys::fuzz_target!(|texts: (&str, &str)| {
    if let Some(pairs) = pairs_of_environment(texts.1) {
        assert!(pairs.iter().all(|(name, _)| !name.is_empty()));
    }
    let Ok(found) = OtlpAddress::parse(texts.0) else { return };
    assert!(found.url().bytes().all(|byte| byte.is_ascii_graphic()));
    let (_, rest) = found.url().split_once("://").expect("a scheme");
    let (server, path) = rest.split_once('/').expect("a path");
    assert!(!server.is_empty() && !server.contains('@') && !path.contains(['?', '#']));
});

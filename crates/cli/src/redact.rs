//! Passwords of the command line are shown to nobody.

use std::path::Path;
use std::sync::OnceLock;

use isotherm_recording::{secrets_in, without_secrets};

/// The passwords in the arguments of this process.
static KNOWN: OnceLock<Vec<String>> = OnceLock::new();

/// A shorter one is also a piece of many words, and only hidden where its place says what it is.
const LEAST: usize = 4;

/// The arguments of this process without its own name. What is no text in them is replaced.
pub fn arguments() -> impl Iterator<Item = String> {
    std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned())
}

/// Remembers the passwords in the arguments, so that they are hidden in whatever form they come
/// back: in a part of an address, or in what another program says.
pub fn remember() {
    let mut known: Vec<String> = arguments()
        .filter(|argument| !Path::new(argument).exists())
        .flat_map(|argument| {
            secrets_in(&argument).into_iter().map(str::to_owned).collect::<Vec<_>>()
        })
        .filter(|secret| secret.len() >= LEAST)
        .collect();
    // The longest first: one may be part of another.
    known.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
    let _ = KNOWN.set(known);
}

/// A message without passwords.
pub fn redacted(text: &str) -> String {
    let known = KNOWN.get().map_or(&[][..], Vec::as_slice);
    let text = without_secrets(text);
    known.iter().fold(text, |text, secret| text.replace(secret, "***"))
}

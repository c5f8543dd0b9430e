//! A password in memory.

use std::fmt;
use std::hint::black_box;

/// A password. It is not printed, and overwritten when it is dropped.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// A password.
    pub fn new(text: String) -> Secret {
        Secret(text)
    }

    /// The password in clear, for a driver or the standard input of a client only.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

impl Drop for Secret {
    fn drop(&mut self) {
        let mut bytes = std::mem::take(&mut self.0).into_bytes();
        bytes.fill(0);
        // Else the writes could be left out, for nobody reads them.
        black_box(&bytes);
    }
}

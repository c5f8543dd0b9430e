//! Whether TLS is used.

/// Whether TLS is used.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum TlsMode {
    /// Never.
    Disable,
    /// If the server speaks it.
    Prefer,
    /// Always, with whomever.
    Require,
    /// Always, with a server whose certificate is good for its name.
    VerifyFull,
}

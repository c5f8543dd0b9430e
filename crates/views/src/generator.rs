//! What wrote a document.

/// The program and its version, as documents name what wrote them.
pub fn generator() -> String {
    format!("isotherm {}", env!("CARGO_PKG_VERSION"))
}

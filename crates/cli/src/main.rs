//! isotherm
fn main() {}

//! How much of a grid of cases is tried: a sample in every run, all of it by `cargo xtask exhaustive`.
//!
//! A sample takes every n-th case. Take a prime for n: a grid of widths or of cut positions has periods
//! (8 columns, 512 bytes) that any other step may share, and would then meet only one kind of case.

/// The variable that `cargo xtask exhaustive` sets.
pub const EXHAUSTIVE: &str = "ISOTHERM_EXHAUSTIVE";

/// Whether all cases are tried.
#[must_use]
pub fn is_exhaustive() -> bool {
    std::env::var_os(EXHAUSTIVE).is_some()
}

/// The step through a grid: `prime`, or 1 where all cases are tried.
#[must_use]
pub fn step(prime: usize) -> usize {
    if is_exhaustive() { 1 } else { prime }
}

/// How many random cases are tried.
#[must_use]
pub fn cases<T>(exhaustive: T, sample: T) -> T {
    if is_exhaustive() { exhaustive } else { sample }
}

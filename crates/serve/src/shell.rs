//! The page that every document is shown in.

/// The page, which has no data and needs no token.
#[derive(Clone, Debug, Default)]
pub struct Shell {
    /// The markup.
    pub page: String,
    /// What it does.
    pub script: String,
    /// How it looks.
    pub style: String,
}

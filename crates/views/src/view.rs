//! What a view says about itself, and its page of documentation.

/// What a view says about itself: help texts and the documentation page are made of it.
#[derive(Debug, PartialEq, Eq)]
pub struct ViewMeta {
    /// The name on the command line.
    pub name: &'static str,
    /// What it shows, in one sentence.
    pub about: &'static str,
    /// When it is the right one, in one sentence.
    pub when: &'static str,
    /// How to read it: one paragraph for each thing there is to know.
    pub reading: &'static [&'static str],
    /// A command that shows it.
    pub example: &'static str,
}

/// The documentation page of a view, with `sample` as what it prints.
pub fn page(meta: &ViewMeta, sample: &str) -> String {
    let ViewMeta { name, about, when, example, .. } = meta;
    let sample = sample.trim_end();
    let list: String = meta.reading.iter().flat_map(|text| ["- ", text, "\n"]).collect();
    format!(
        "# `{name}`\n\n{about}\n{when}\n\n```sh\n{example}\n```\n\n```text\n{sample}\n```\n\n\
         ## How to read it\n\n{list}"
    )
}

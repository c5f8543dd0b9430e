//! Which sources go on.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::names::escaped;

const UP: &str = "# HELP isotherm_source_up 1 while the source goes on, 0 after its end, when its other metrics \
    are gone.\n\
    # TYPE isotherm_source_up gauge\n";

/// Of each source, how many that are called so go on.
#[derive(Clone, Debug, Default)]
pub struct SourcesUp(BTreeMap<String, usize>);

impl SourcesUp {
    /// A source goes on from now on.
    pub fn begin(&mut self, source: &str) {
        *self.0.entry(source.to_owned()).or_default() += 1;
    }

    /// A source has ended; says whether no other is called so.
    pub fn end(&mut self, source: &str) -> bool {
        let going_on = self.0.entry(source.to_owned()).or_default();
        *going_on = going_on.saturating_sub(1);
        *going_on == 0
    }

    /// The text that is scraped: a gauge of each source.
    pub fn text(&self) -> String {
        let mut text = if self.0.is_empty() { String::new() } else { UP.to_owned() };
        for (source, going_on) in &self.0 {
            let (source, up) = (escaped(source), u8::from(*going_on > 0));
            let _ = writeln!(text, "isotherm_source_up{{source=\"{source}\"}} {up}");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_is_up_until_the_last_one_of_its_name_has_ended() {
        let mut sources = SourcesUp::default();
        assert_eq!(sources.text(), "");
        for source in ["a\"b", "disk:", "disk:"] {
            sources.begin(source);
        }
        assert!(!sources.end("disk:"));
        let up = |sources: &SourcesUp| {
            let text = sources.text();
            let lines = text.lines().filter(|line| !line.starts_with('#')).map(str::to_owned);
            lines.collect::<Vec<_>>()
        };
        let one = "isotherm_source_up{source=\"a\\\"b\"} 1";
        assert_eq!(up(&sources), [one, "isotherm_source_up{source=\"disk:\"} 1"]);
        assert!(sources.end("disk:"));
        assert_eq!(up(&sources), [one, "isotherm_source_up{source=\"disk:\"} 0"]);
    }
}

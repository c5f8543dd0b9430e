//! README's tables, which are those of generated pages.

use anyhow::{Result, ensure};

/// A table that README repeats from a generated page.
pub struct Table {
    /// What it lists; README has it between `<!-- NAME: ... -->` and `<!-- /NAME -->`.
    name: &'static str,
    /// The page under `docs`.
    pub page: &'static str,
}

/// The tables of README.
pub const TABLES: [Table; 2] = [
    Table { name: "commands", page: "commands/README.md" },
    Table { name: "sources", page: "sources/README.md" },
];

impl Table {
    /// README with the table of the page; links of the page become those of README.
    pub fn placed(&self, readme: &str, page: &str) -> Result<String> {
        let Table { name, page: path } = self;
        let begin = format!("<!-- {name}: written by `cargo xtask bless` -->");
        let end = format!("<!-- /{name} -->");
        let (Some((before, rest)), true) =
            (readme.split_once(&begin), readme.matches(&begin).count() == 1)
        else {
            anyhow::bail!("README.md: there is no single line `{begin}`");
        };
        let Some((_, after)) = rest.split_once(&end) else {
            anyhow::bail!("README.md: nothing ends the table of {name}; put `{end}` after it");
        };
        let rows: Vec<&str> = page.lines().filter(|line| line.starts_with('|')).collect();
        ensure!(!rows.is_empty(), "docs/{path}: there is no table in it");
        let rows = rows.join("\n").replace("](", &format!("](docs/{name}/"));
        Ok(format!("{before}{begin}\n{rows}\n{end}{after}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# Sources\n\n| source |\n|---|\n| [`probe:`](probe.md) |\n\nEnd.\n";
    const BEGIN: &str = "<!-- sources: written by `cargo xtask bless` -->";
    const END: &str = "<!-- /sources -->";

    fn sources(readme: &str, page: &str) -> Result<String> {
        Table { name: "sources", page: "sources/README.md" }.placed(readme, page)
    }

    #[test]
    fn the_table_stands_between_its_lines() {
        let readme = format!("before\n{BEGIN}\n| old |\n{END}\nafter\n");
        let written = sources(&readme, PAGE).unwrap();
        assert_eq!(
            written,
            format!(
                "before\n{BEGIN}\n| source |\n|---|\n| [`probe:`](docs/sources/probe.md) |\n{END}\n\
                 after\n"
            )
        );
        assert_eq!(sources(&written, PAGE).unwrap(), written, "written once, written for good");
    }

    #[test]
    fn a_readme_without_a_place_for_it_is_an_error() {
        for readme in ["", BEGIN, &format!("{BEGIN}{BEGIN}{END}")] {
            assert!(sources(readme, PAGE).is_err(), "{readme}");
        }
        assert!(sources(&format!("{BEGIN}{END}"), "no table").is_err());
    }
}

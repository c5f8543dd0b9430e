//! README's table of sources, which is that of the generated page `docs/sources/README.md`.

use anyhow::{Result, ensure};

/// Between these lines of README stands the table.
const BEGIN: &str = "<!-- sources: written by `cargo xtask bless` -->";
const END: &str = "<!-- /sources -->";

/// README with the table of the page of sources, whose links are made those of README.
pub fn with_table(readme: &str, page: &str) -> Result<String> {
    let (Some((before, rest)), true) =
        (readme.split_once(BEGIN), readme.matches(BEGIN).count() == 1)
    else {
        anyhow::bail!("README.md: there is no single line `{BEGIN}`");
    };
    let Some((_, after)) = rest.split_once(END) else {
        anyhow::bail!("README.md: nothing ends the table of sources; put `{END}` after it");
    };
    let table = table(page);
    ensure!(!table.is_empty(), "docs/sources/README.md: there is no table in it");
    Ok(format!("{before}{BEGIN}\n{table}{END}{after}"))
}

fn table(page: &str) -> String {
    page.lines()
        .filter(|line| line.starts_with('|'))
        .map(|line| line.replace("](", "](docs/sources/") + "\n")
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# Sources\n\n| source |\n|---|\n| [`probe:`](probe.md) |\n\nEnd.\n";

    #[test]
    fn the_table_stands_between_its_lines() {
        let readme = format!("before\n{BEGIN}\n| old |\n{END}\nafter\n");
        let written = with_table(&readme, PAGE).unwrap();
        assert_eq!(
            written,
            format!(
                "before\n{BEGIN}\n| source |\n|---|\n| [`probe:`](docs/sources/probe.md) |\n{END}\n\
                 after\n"
            )
        );
        assert_eq!(with_table(&written, PAGE).unwrap(), written, "written once, written for good");
    }

    #[test]
    fn a_readme_without_a_place_for_it_is_an_error() {
        for readme in ["", BEGIN, &format!("{BEGIN}{BEGIN}{END}")] {
            assert!(with_table(readme, PAGE).is_err(), "{readme}");
        }
        assert!(with_table(&format!("{BEGIN}{END}"), "no table").is_err());
    }
}

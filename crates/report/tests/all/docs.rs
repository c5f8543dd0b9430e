//! The documentation page is what the report says about itself. `ISOTHERM_BLESS=1` writes it anew;
//! read the difference.

use std::path::PathBuf;

use isotherm_frame::{Scheme, Unit};
use isotherm_report::META;
use isotherm_views::page;

use crate::report::markdown_of;
use crate::scene;

#[test]
fn the_page_is_what_the_report_says() {
    let commits = scene::commits(&Scheme::powers_of_two(Unit::Micros));
    let text = markdown_of(&[scene::fine(), commits].concat());
    // Its Markdown form up to the maps.
    let wanted = page(&META, text.split("\n```").next().unwrap());
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/views/report.md");
    if std::env::var_os("ISOTHERM_BLESS").is_some() {
        std::fs::write(&path, &wanted).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(found, wanted, "{} is not what is generated", path.display());
}

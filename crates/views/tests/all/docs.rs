//! The documentation pages are what the views say about themselves. `ISOTHERM_BLESS=1` writes
//! them anew; read the difference.

use std::path::PathBuf;

use isotherm_views::{Depth, VIEWS, page};

use crate::{scene, shown};

fn sample(name: &str) -> String {
    let head = |text: String, lines: usize| {
        let kept: Vec<&str> = text.lines().take(lines).collect();
        format!("{}\n...", kept.join("\n"))
    };
    match name {
        "map" => shown::map(&scene::fine(), 110, Depth::Glyphs),
        "stream" => head(shown::stream(&scene::coarse(), 100, Depth::Glyphs), 36),
        "classic" => shown::classic(&scene::coarse(), 110, Depth::Glyphs, false),
        "buckets" => head(shown::buckets(&scene::coarse()), 18),
        "table" => shown::table(&scene::fine(), Some(160)),
        "json" => {
            let text = shown::json(&scene::coarse());
            format!("{}...", text.chars().take(700).collect::<String>())
        }
        "compare" => crate::compare::sample(),
        "explain" => crate::explain::sample(),
        "load" => crate::load::sample(),
        "profile" => crate::profile::text(110, Depth::Glyphs),
        "timeline" => crate::io_path::text(130, Depth::Glyphs),
        other => panic!("a view without a sample: {other}"),
    }
}

#[test]
fn pages_are_what_the_views_say() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/views");
    let mut kept: Vec<String> = Vec::new();
    for meta in VIEWS {
        let path = folder.join(format!("{}.md", meta.name));
        let wanted = page(meta, &sample(meta.name));
        if std::env::var_os("ISOTHERM_BLESS").is_some() {
            std::fs::write(&path, &wanted).unwrap();
        }
        let found = std::fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(found, wanted, "{} is not what is generated", path.display());
        kept.push(format!("{}.md", meta.name));
    }
    assert_eq!(kept.len(), VIEWS.len());
}

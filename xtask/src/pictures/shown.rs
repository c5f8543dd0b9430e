//! Screenshots: pages as a browser shows them, as PNG of few colours.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::palette;
use super::scratch::Scratch;

/// Where pictures are kept.
pub const PICTURES: &str = "docs/pictures";
/// All screenshots together are at most this large.
const MOST_BYTES: usize = 400_000;

/// A screenshot.
pub struct Shown {
    pub picture: &'static str,
    pub page: &'static str,
    /// Of the browser's window, in pixels.
    size: (u32, u32),
    scheme: &'static str,
}

const fn shown(
    picture: &'static str,
    page: &'static str,
    size: (u32, u32),
    scheme: &'static str,
) -> Shown {
    Shown { picture, page, size, scheme }
}

/// Every screenshot. What is done to a page before it is shown is in web-tests/pictures.mjs.
pub const SHOWN: [Shown; 6] = [
    shown("report-dark.png", "disk-backup.html", (1400, 1100), "dark"),
    shown("report-light.png", "disk-backup.html", (1400, 1100), "light"),
    shown("awr-light.png", "history.html", (1300, 860), "light"),
    shown("cache-light.png", "model.html", (1200, 1020), "light"),
    shown("flame-light.png", "stress.html", (1400, 900), "light"),
    shown("flame-heat.png", "burst.html", (1400, 800), "light"),
];

/// Takes all screenshots of the pages in the scratch directory.
pub fn draw(root: &Path, scratch: &Scratch) -> Result<()> {
    let web_tests = root.join("web-tests");
    if !web_tests.join("node_modules/playwright-core").is_dir() {
        bail!("the driver of the browser is not installed: `web-tests/run` installs it");
    }
    let mut command = Command::new("node");
    command.arg(web_tests.join("pictures.mjs")).arg(scratch.path(""));
    for Shown { picture, page, size: (width, height), scheme } in SHOWN {
        command.arg(format!("{picture} {page} {width} {height} {scheme}"));
    }
    if !command.status().context("node")?.success() {
        bail!("the browser could not show the pages");
    }
    let mut all = 0;
    for shown in SHOWN {
        let path = scratch.path(shown.picture);
        let png = fs::read(&path).with_context(|| path.display().to_string())?;
        let reduced = palette::reduced(&png).with_context(|| shown.picture.to_owned())?;
        println!("{PICTURES}/{}: {} bytes, {} before", shown.picture, reduced.len(), png.len());
        all += reduced.len();
        fs::write(root.join(PICTURES).join(shown.picture), reduced)?;
    }
    if all > MOST_BYTES {
        bail!("the screenshots have {all} bytes together, more than {MOST_BYTES}");
    }
    Ok(())
}

//! How much of some files the page cache holds, by fincore.

use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Pages of these files in the page cache, of all that they have; `Err` says why that is not known.
pub fn cached_pages(paths: &[PathBuf]) -> Result<(u64, u64), String> {
    let mut command = Command::new("fincore");
    command.args(["--bytes", "--noheadings", "--raw", "--output", "PAGES,SIZE"]).args(paths);
    let output = command.stdin(Stdio::null()).output().map_err(|error| {
        if error.kind() == std::io::ErrorKind::NotFound {
            "fincore (util-linux) is not installed".to_owned()
        } else {
            format!("fincore cannot be started ({error})")
        }
    })?;
    let text = String::from_utf8_lossy(&output.stdout);
    let known = output.status.success().then(|| sums(&text)).flatten();
    let (pages, bytes) = known.ok_or_else(|| {
        let errors = String::from_utf8_lossy(&output.stderr);
        let said = errors.lines().next().unwrap_or("no two numbers a line").to_owned();
        format!("fincore failed ({said})")
    })?;
    Ok((pages, bytes / rustix::param::page_size() as u64))
}

/// The sums of two columns of numbers.
fn sums(text: &str) -> Option<(u64, u64)> {
    let mut sums = (0_u64, 0_u64);
    for line in text.lines() {
        let mut numbers = line.split_whitespace().map(str::parse::<u64>);
        let mut number = || numbers.next()?.ok();
        sums = (sums.0.checked_add(number()?)?, sums.1.checked_add(number()?)?);
    }
    Some(sums)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_and_sizes_are_added_up() {
        assert_eq!(sums("12 81920\n0 8192\n"), Some((12, 90_112)));
        assert_eq!(sums(""), Some((0, 0)));
        for bad in ["x", "1", "1 -2", "1 2\n3", "18446744073709551615 1\n1 1"] {
            assert_eq!(sums(bad), None, "{bad}");
        }
        let error = cached_pages(&[PathBuf::from("/nonexistent/file")]).unwrap_err();
        assert!(error.starts_with("fincore "), "{error}");
    }
}

//! Whether buffers come to lie in huge pages.

use std::fs;

use crate::sys::{Buffers, HUGE, Pages};

/// Where buffers lie that are to be in huge pages, or are not to be.
pub(super) fn words(huge: bool) -> String {
    let small = "in pages of 4 KiB";
    match huge.then(|| has_huge(Pages::Huge)) {
        None => small.to_owned(),
        Some(Some(true)) => "in huge pages, each in one piece".to_owned(),
        Some(Some(false)) => format!("{small}: the system has no huge ones to give"),
        Some(None) => "asked for in huge pages".to_owned(),
    }
}

/// Whether memory that is asked for now is of huge pages; none if the system does not tell.
fn has_huge(pages: Pages) -> Option<bool> {
    let mut memory = Buffers::new(1, HUGE, pages).ok()?;
    let bytes = memory.get_mut(0);
    // Memory is there when it is used.
    *bytes.first_mut()? = 1;
    let address = bytes.as_ptr().addr();
    let maps = fs::read_to_string("/proc/self/smaps").ok()?;
    let mut lines = maps.lines().skip_while(|line| !holds(line, address));
    let size = lines.find_map(|line| line.strip_prefix("AnonHugePages:"))?;
    Some(size.trim().strip_suffix("kB")?.trim() != "0")
}

/// Whether a line begins a mapping that holds an address.
fn holds(line: &str, address: usize) -> bool {
    let hex = |text: &str| usize::from_str_radix(text, 16).ok();
    let range = line.split(' ').next().and_then(|range| range.split_once('-'));
    let range = range.and_then(|(from, to)| Some(hex(from)?..hex(to)?));
    range.is_some_and(|range| range.contains(&address))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_pages_are_small() {
        assert_ne!(has_huge(Pages::Small), Some(true));
        assert_eq!(words(false), "in pages of 4 KiB");
    }

    #[test]
    fn a_system_without_huge_pages_is_reported() {
        let setting = fs::read_to_string("/sys/kernel/mm/transparent_hugepage/enabled");
        let never = setting.is_ok_and(|setting| setting.contains("[never]"));
        assert!(!(never && has_huge(Pages::Huge) == Some(true)));
        assert!(!words(true).is_empty());
    }

    #[test]
    fn mappings_are_recognised_by_their_range() {
        let line = "7f00a0000000-7f00a0200000 rw-p 00000000 00:00 0 ";
        assert!(holds(line, 0x7f00_a000_0000) && holds(line, 0x7f00_a01f_ffff));
        assert!(!holds(line, 0x7f00_a020_0000) && !holds("Size:  4 kB", 4));
    }
}

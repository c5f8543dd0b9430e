//! What labs left behind that were killed before they could clean up.

use std::fs;
use std::path::Path;

use super::scratch::PREFIX;

/// A sentence for each scratch directory of a process that is no longer there.
pub fn remarks() -> Vec<String> {
    in_directory(&std::env::temp_dir(), &|pid| Path::new("/proc").join(pid.to_string()).exists())
}

fn in_directory(parent: &Path, is_running: &dyn Fn(u32) -> bool) -> Vec<String> {
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    let mut found: Vec<String> = entries
        .filter_map(|entry| {
            let owner = owner(entry.file_name().to_str()?)?;
            (!is_running(owner)).then(|| remark(&entry.path(), is_running))
        })
        .collect();
    found.sort();
    found
}

/// The process that made a scratch directory of this name.
fn owner(name: &str) -> Option<u32> {
    name.strip_prefix(PREFIX)?.split_once('-')?.0.parse().ok()
}

fn remark(path: &Path, is_running: &dyn Fn(u32) -> bool) -> String {
    let text = fs::read_to_string(path.join("data/postmaster.pid")).unwrap_or_default();
    let server = text.lines().next().and_then(|line| line.trim().parse::<u32>().ok());
    let place = path.display();
    match server.filter(|pid| is_running(*pid)) {
        Some(pid) => format!(
            "A lab that was killed left its server running: process {pid} in {place}. End it with \
             `kill {pid}`, then `rm -r {place}`."
        ),
        None => format!("A lab that was killed left {place}. Remove it: `rm -r {place}`."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_lab_left_is_named_with_its_server() {
        let parent = tempfile::tempdir().unwrap();
        for (name, server) in [("isotherm-lab-10-0", "11"), ("isotherm-lab-20-0", "21")] {
            let data = parent.path().join(name).join("data");
            fs::create_dir_all(&data).unwrap();
            fs::write(data.join("postmaster.pid"), format!("{server}\n/x\n")).unwrap();
        }
        for name in ["isotherm-lab-12-1", "isotherm-lab-x-1", "other-10-0"] {
            fs::create_dir(parent.path().join(name)).unwrap();
        }
        // Labs 10 and 12 are gone; 20 runs, and so does the server of 10.
        let found = in_directory(parent.path(), &|pid| [11, 20, 21].contains(&pid));
        let place = parent.path().display();
        assert_eq!(
            found,
            [
                format!(
                    "A lab that was killed left {place}/isotherm-lab-12-1. Remove it: \
                         `rm -r {place}/isotherm-lab-12-1`."
                ),
                format!(
                    "A lab that was killed left its server running: process 11 in \
                         {place}/isotherm-lab-10-0. End it with `kill 11`, then \
                         `rm -r {place}/isotherm-lab-10-0`."
                ),
            ]
        );
    }
}

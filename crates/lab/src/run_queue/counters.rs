//! What Linux says of tasks that run or wait for a processor.

use std::fs;
use std::io::Read as _;
use std::process::{Child, Command, Stdio};

use crate::LabError;

const NEXT: &str = "this lab needs /proc of Linux";

/// The number of runnable tasks in a line of `/proc/loadavg`: before the slash of its fourth field.
pub fn runnable_in_loadavg(text: &str) -> Option<u64> {
    text.split_whitespace().nth(3)?.split_once('/')?.0.parse().ok()
}

/// The number of runnable tasks in `/proc/stat`: its line `procs_running`.
pub fn runnable_in_stat(text: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix("procs_running ")?.trim().parse().ok())
}

/// The state of a task in `/proc/PID/task/TID/stat`: the letter behind its name, which stands in
/// parentheses and may hold anything.
pub fn state_of_task(text: &str) -> Option<char> {
    text.rsplit_once(')')?.1.trim_start().chars().next()
}

/// The nanoseconds a task has run, and has waited for a processor, in `/proc/.../schedstat`.
pub fn ran_and_waited(text: &str) -> Option<(u64, u64)> {
    let mut fields = text.split_whitespace().map(str::parse);
    Some((fields.next()?.ok()?, fields.next()?.ok()?))
}

/// The column `r` of what `vmstat` prints.
pub fn runnable_in_vmstat(text: &str) -> Option<u64> {
    let mut lines = text.lines().skip_while(|line| line.split_whitespace().next() != Some("r"));
    lines.nth(1)?.split_whitespace().next()?.parse().ok()
}

/// What `/proc/loadavg` says now.
pub fn loadavg() -> Result<u64, LabError> {
    read("/proc/loadavg", runnable_in_loadavg)
}

/// What `/proc/stat` says now.
pub fn stat() -> Result<u64, LabError> {
    read("/proc/stat", runnable_in_stat)
}

/// What `vmstat` says now; none where it is not installed.
pub fn vmstat() -> Option<u64> {
    let output = Command::new("vmstat").stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    runnable_in_vmstat(&String::from_utf8_lossy(&output.stdout))
}

/// The column `runq-sz` of what `sar -q` prints, one number for each interval.
pub fn runnable_in_sar(text: &str) -> Vec<u64> {
    let mut column = None;
    let mut found = Vec::new();
    for line in text.lines() {
        let mut fields = line.split_whitespace();
        if let Some(at) = line.split_whitespace().position(|field| field == "runq-sz") {
            column = Some(at);
        } else if !line.starts_with("Average") {
            let number: Option<u64> = column.and_then(|at| fields.nth(at)?.parse().ok());
            found.extend(number);
        }
    }
    found
}

/// `sar -q`, which looks once a second while the lab does so, too. It is ended with its owner.
#[derive(Debug)]
pub struct Sar(Option<Child>);

impl Sar {
    /// Starts it for this many seconds; nothing where it is not installed.
    pub fn start(seconds: usize) -> Sar {
        let mut sar = Command::new("sar");
        sar.args(["-q", "1", &seconds.to_string()]).env("LC_ALL", "C");
        sar.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        Sar(sar.spawn().ok())
    }

    /// Whether it has ended, or was never started.
    pub fn has_ended(&mut self) -> bool {
        self.0.as_mut().is_none_or(|child| !matches!(child.try_wait(), Ok(None)))
    }

    /// What it has printed, once it has ended.
    pub fn runnable(mut self) -> Vec<u64> {
        let mut text = String::new();
        let output = self.0.as_mut().and_then(|child| child.stdout.take());
        // What is no text has no numbers.
        let _ = output.map(|mut output| output.read_to_string(&mut text));
        runnable_in_sar(&text)
    }
}

impl Drop for Sar {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            // It has ended already, or ends now.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn read(path: &str, parse: fn(&str) -> Option<u64>) -> Result<u64, LabError> {
    let unreadable = |why: String| LabError::Unreadable { what: path.to_owned(), why, next: NEXT };
    let text = fs::read_to_string(path).map_err(|error| unreadable(error.to_string()))?;
    parse(&text).ok_or_else(|| unreadable("the number of runnable tasks is not in it".to_owned()))
}

/// The number of tasks in state R: those that run and those that wait for a processor, one by one.
/// Tasks that end while they are counted are left out.
pub fn tasks_in_state_r() -> Result<u64, LabError> {
    let unreadable = |error: std::io::Error| LabError::Unreadable {
        what: "/proc".to_owned(),
        why: error.to_string(),
        next: NEXT,
    };
    let mut runnable = 0;
    for process in fs::read_dir("/proc").map_err(unreadable)?.flatten() {
        if !process.file_name().to_string_lossy().starts_with(|first: char| first.is_ascii_digit())
        {
            continue;
        }
        let Ok(tasks) = fs::read_dir(process.path().join("task")) else { continue };
        let states = tasks
            .flatten()
            .filter_map(|task| state_of_task(&fs::read_to_string(task.path().join("stat")).ok()?));
        runnable += states.filter(|&state| state == 'R').count() as u64;
    }
    Ok(runnable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_where_the_kernel_writes_them() {
        assert_eq!(runnable_in_loadavg("5.40 5.43 3.79 7/136 13687\n"), Some(7));
        let stat = "cpu  1 2 3\nctxt 5\nprocesses 99\nprocs_running 12\nprocs_blocked 0\n";
        assert_eq!(runnable_in_stat(stat), Some(12));
        assert_eq!(state_of_task("12 (a) R (b) S 1 12 12 0"), Some('S'));
        assert_eq!(ran_and_waited("1500 74611 1\n"), Some((1_500, 74_611)));
        let vmstat = "procs -----------memory----------\n r  b   swpd   free\n 4  0      0 1000\n";
        assert_eq!(runnable_in_vmstat(vmstat), Some(4));
        let sar = "Linux 6.1.0 (db1) \t11/28/26 \t_x86_64_\t(2 CPU)\n\n17:31:01      runq-sz  plist-sz   \
             ldavg-1   ldavg-5  ldavg-15   blocked\n17:31:02            5       151      3.01      5.73      \
             4.95         0\n17:31:03            7       151      3.01      5.73      4.95         0\nAverage:\
                  6       151      3.01      5.73      4.95         0\n";
        assert_eq!(runnable_in_sar(sar), [5, 7]);
        // Busy machines repeat the heading.
        let twice = format!("{sar}{sar}");
        assert_eq!(runnable_in_sar(&twice), [5, 7, 5, 7]);
    }

    #[test]
    fn what_is_not_there_is_no_number() {
        for text in
            ["", "1 2 3", "1 2 3 x/9", "procs_running", "r", " r b\n", "(", "12 (x)", "\u{0}"]
        {
            assert_eq!(runnable_in_loadavg(text), None, "{text}");
            assert_eq!(runnable_in_stat(text), None, "{text}");
            assert_eq!(state_of_task(text), None, "{text}");
            assert_eq!(runnable_in_vmstat(text), None, "{text}");
            assert_eq!(runnable_in_sar(text), Vec::<u64>::new(), "{text}");
        }
        assert_eq!(ran_and_waited("7"), None);
        assert_eq!(ran_and_waited("-1 2 3"), None);
    }
}

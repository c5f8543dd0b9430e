//! The program in a real terminal, where tmux is installed.

use std::process::Command;
use std::time::Duration;

use testing::bounded;

use super::{RECORDS, Room};

/// How often the screen is looked at.
const POLL: Duration = Duration::from_millis(20);

/// A tmux server of its own; ended with the test.
pub struct Terminal {
    socket: String,
    _room: Room,
}

impl Terminal {
    /// A terminal of this size with a shell; `None` where there is no tmux.
    #[allow(clippy::print_stderr, reason = "a test that is skipped must be seen")]
    pub fn open(width: u16, height: u16) -> Option<Terminal> {
        if bounded::try_output(Command::new("tmux").arg("-V")).is_err() {
            eprintln!("skipped: tmux is not installed");
            return None;
        }
        let room = Room::new();
        let socket = room.name("tmux");
        let terminal = Terminal { socket, _room: room };
        let size = [width.to_string(), height.to_string()];
        let shell = "env PS1='ready> ' bash --norc --noprofile";
        terminal.tmux(&[
            "-f",
            "/dev/null",
            "new-session",
            "-d",
            "-x",
            &size[0],
            "-y",
            &size[1],
            shell,
        ]);
        bounded::until("a shell", || terminal.screen().contains("ready>").then_some(()));
        Some(terminal)
    }

    fn tmux(&self, args: &[&str]) -> String {
        let output = bounded::output(Command::new("tmux").args(["-S", &self.socket]).args(args));
        String::from_utf8(output.stdout).unwrap()
    }

    pub fn screen(&self) -> String {
        self.tmux(&["capture-pane", "-p"])
    }

    pub fn line(&self, text: &str) {
        self.tmux(&["send-keys", "-l", text]);
        self.key("Enter");
    }

    pub fn key(&self, key: &str) {
        self.tmux(&["send-keys", key]);
    }

    pub fn shows(&self, text: &str) {
        let deadline = bounded::Deadline::default();
        let mut screen = self.screen();
        while !screen.contains(text) {
            let is_late = deadline.left().is_zero();
            assert!(!is_late, "waited in vain for '{text}' on the screen:\n{screen}");
            std::thread::sleep(POLL); // wall clock: how often it is looked at
            screen = self.screen();
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
    }
}

pub fn isotherm(rest: &str) -> String {
    format!("{} {rest}", env!("CARGO_BIN_EXE_isotherm"))
}

#[test]
fn the_live_view_shows_both_maps_and_restores_the_screen() {
    let Some(terminal) = Terminal::open(100, 40) else { return };
    let room = Room::new();
    terminal
        .line(&isotherm(&format!("live probe:{} --size 1 --interval 200ms", room.dir().display())));
    terminal.shows("FREQUENCY");
    terminal.shows("INTENSITY");
    terminal.key("?");
    let help = "quit, leave the picture";
    terminal.shows(help);
    terminal.key("Escape");
    bounded::until("the help to close", || (!terminal.screen().contains(help)).then_some(()));
    terminal.key("q");
    bounded::until("the screen to be restored", || {
        let screen = terminal.screen();
        (screen.contains("ready>") && !screen.contains("FREQUENCY")).then_some(())
    });
    terminal.line("echo still $((40 + 2)) here");
    terminal.shows("still 42 here");
}

#[test]
fn what_is_typed_after_the_end_belongs_to_the_shell() {
    let Some(terminal) = Terminal::open(100, 40) else { return };
    let room = Room::new();
    let file = room.file("records.txt", RECORDS);
    let live = format!("live probe:{} --size 1 --interval 200ms", room.dir().display());
    let replay = format!("replay {file} --speed max --ui tui");
    // Keys that end the view, behind others, are all there at once when they are read.
    for (round, (command, ends)) in [
        (&live, "q"),
        (&replay, "q"),
        (&live, "?\u{1b}q"),
        (&replay, "eq\u{3}"),
        (&live, "mq\u{3}"),
    ]
    .into_iter()
    .enumerate()
    {
        terminal.line(&isotherm(command));
        terminal.shows("INTENSITY");
        terminal.tmux(&["send-keys", "-l", &format!("{ends}echo typed $((10 * {round})) ahead\r")]);
        terminal.shows(&format!("typed {} ahead", 10 * round));
        assert!(!terminal.screen().contains("INTENSITY"), "the screen is not restored");
    }
}

#[test]
fn a_view_that_was_suspended_leaves_to_the_shell_what_is_typed_meanwhile() {
    let Some(terminal) = Terminal::open(100, 40) else { return };
    let room = Room::new();
    let live = format!("live probe:{} --size 1 --interval 200ms", room.dir().display());
    terminal.line(&isotherm(&live));
    terminal.shows("INTENSITY");
    terminal.tmux(&["send-keys", "-l", "\u{1a}echo meanwhile $((40 + 2)) typed\r"]);
    terminal.shows("meanwhile 42 typed");
    terminal.line("fg");
    terminal.shows("INTENSITY");
    // It reads keys again, and follows the size of the terminal.
    terminal.tmux(&["resize-window", "-x", "60", "-y", "30"]);
    bounded::until("the picture to shrink", || {
        let screen = terminal.screen();
        let widest = screen.lines().map(|line| line.chars().count()).max();
        (widest <= Some(60) && screen.contains("FREQUENCY")).then_some(())
    });
    terminal.key("q");
    bounded::until("the screen to be restored", || {
        (!terminal.screen().contains("FREQUENCY")).then_some(())
    });
}

#[test]
fn a_signal_restores_the_screen() {
    let Some(terminal) = Terminal::open(80, 24) else { return };
    let room = Room::new();
    let live = isotherm(&format!("live probe:{} --size 1 & PID=$!; fg", room.dir().display()));
    terminal.line(&format!("set -m; {live}"));
    terminal.shows("FREQUENCY");
    // From a second window: the first one's keyboard belongs to the program.
    let pid = bounded::until("the program", || {
        let found =
            bounded::output(Command::new("pgrep").args(["-f", room.dir().to_str().unwrap()]));
        String::from_utf8(found.stdout).ok()?.lines().next()?.trim().parse::<i32>().ok()
    });
    rustix::process::kill_process(
        rustix::process::Pid::from_raw(pid).unwrap(),
        rustix::process::Signal::TERM,
    )
    .unwrap();
    terminal.shows("ready>");
    terminal.line("echo back $((40 + 2)) again");
    terminal.shows("back 42 again");
}

#[test]
fn a_replay_survives_a_storm_of_resizes() {
    let Some(terminal) = Terminal::open(100, 40) else { return };
    let room = Room::new();
    let file = room.file("records.txt", RECORDS);
    terminal.line(&isotherm(&format!("replay {file} --speed max --ui tui")));
    terminal.shows("log file sync");
    for step in 0..60_u32 {
        let (width, height) = (20 + step * 37 % 140, 5 + step * 17 % 50);
        terminal.tmux(&["resize-window", "-x", &width.to_string(), "-y", &height.to_string()]);
    }
    terminal.tmux(&["resize-window", "-x", "100", "-y", "40"]);
    terminal.shows("INTENSITY");
    terminal.key("q");
    terminal.shows("ready>");
}

#[test]
fn a_report_is_saved_while_the_view_goes_on_and_failure_is_reported() {
    let Some(terminal) = Terminal::open(100, 40) else { return };
    let room = Room::new();
    let (data, out) = (room.path("data"), room.path("out"));
    std::fs::create_dir(&data).unwrap();
    std::fs::create_dir(&out).unwrap();
    let live = format!(
        "live probe:{} --size 1 --interval 200ms --record {} --keep 10m",
        data.display(),
        room.name("ring.heat")
    );
    terminal.line(&format!("cd {}; {}", out.display(), isotherm(&live)));
    terminal.shows("INTENSITY");
    // There is something to report on once an interval is finished.
    terminal.shows("p50 ≈");
    terminal.key("x");
    terminal.shows("saved isotherm-");
    let saved = || {
        let entries = std::fs::read_dir(&out).unwrap().map(|entry| entry.unwrap().path());
        entries.filter(|path| path.extension().unwrap() == "html").collect::<Vec<_>>()
    };
    let page = std::fs::read_to_string(&saved()[0]).unwrap();
    assert!(page.contains("id=\"isotherm-data\"") && page.contains("probe:"));
    // The directory goes: what cannot be written is reported, and the view goes on.
    std::fs::remove_dir_all(&out).unwrap();
    terminal.key("X");
    terminal.shows("the report is not saved");
    terminal.key("d");
    terminal.shows("in this window");
    terminal.key("d");
    terminal.key("q");
    terminal.shows("ready>");
}

/// The text of the line of the screen that has all of these words.
fn line_with(screen: &str, words: &[&str]) -> Option<String> {
    let has_all = |line: &&str| words.iter().all(|word| line.contains(word));
    screen.lines().find(has_all).map(str::to_owned)
}

/// A time as the screen writes it, in seconds.
fn seconds(text: &str) -> f64 {
    let unit = text.find(|c: char| c.is_alphabetic() || c == 'µ').expect("a unit");
    let scale = match &text[unit..] {
        "us" | "µs" => 1e-6,
        "ms" => 1e-3,
        "s" => 1.0,
        other => panic!("'{other}' of '{text}'"),
    };
    text[..unit].parse::<f64>().expect("a number") * scale
}

/// Waits until the program has ended and the shell asks for more.
fn is_left(terminal: &Terminal) {
    bounded::until("the shell", || terminal.screen().trim_end().ends_with("ready>").then_some(()));
}

#[test]
fn a_sweep_shows_maps_and_the_figures_of_runs_that_have_ended_and_goes_on_later() {
    let Some(terminal) = Terminal::open(110, 40) else { return };
    let room = Room::new();
    let directory = room.name("sweep");
    // The first run is on the screen while the others are made: long enough for a busy machine to look at it.
    let sweep = format!(
        "sweep sim:servers=4,service=4ms --vary in-flight=1..8x2 --for 2s --warmup 100ms -o {directory}"
    );
    terminal.line(&isotherm(&sweep));
    for words in ["FREQUENCY", "INTENSITY", "sim:servers=4"] {
        terminal.shows(words);
    }
    let shown = bounded::until("the first run", || {
        line_with(&terminal.screen(), &["in-flight 1, repeat 1", "ms"])
    });
    // If all have ended meanwhile, the shell begins a new line.
    terminal.key("C-c");
    is_left(&terminal);
    // What the same command makes of the run that is kept, after those that were left out.
    let again: Vec<&str> = sweep.split(' ').chain(["--format", "json"]).collect();
    let report: serde_json::Value = serde_json::from_str(&super::succeed(&again)).unwrap();
    let points = report["points"].as_array().unwrap();
    assert_eq!(points.len(), 4, "{report}");
    let median = points[0]["p50_s"]["median"].as_f64().unwrap();
    let p50 = shown.split_whitespace().find(|word| word.ends_with("ms")).expect("a time");
    assert!((seconds(p50) / median - 1.0).abs() < 0.05, "{shown}: {median}");
}

#[test]
fn a_calibration_shows_maps_its_target_and_the_time_left() {
    let Some(terminal) = Terminal::open(110, 40) else { return };
    terminal.line(&isotherm("calibrate sim:servers=4,service=1ms --for 60s"));
    for words in ["FREQUENCY", "INTENSITY", "sim:servers=4", "left", "p99", " ended"] {
        terminal.shows(words);
    }
    terminal.key("q");
    is_left(&terminal);
}

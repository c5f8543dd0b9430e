//! `isotherm doctor`: what works here, and what to do about what does not.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use isotherm_analysis::Shade;
use isotherm_views::{Depth, Ink, MapKind, OutputForm, STEPS, Style};

use crate::config_args::Config;
use crate::failure::Failure;
use crate::screen;
use crate::screen_args::ScreenArgs;

/// One thing that was looked at.
struct Finding {
    good: bool,
    subject: &'static str,
    found: String,
    /// What to do, when it is not good.
    advice: &'static str,
}

fn finding(good: bool, subject: &'static str, found: String, advice: &'static str) -> Finding {
    Finding { good, subject, found, advice }
}

/// `isotherm doctor`
pub fn run(args: &ScreenArgs) -> Result<(), Failure> {
    let style = screen::style(args, screen::is_terminal());
    let findings = [
        terminal(style),
        configuration(&args.config),
        locale(),
        bpftrace(),
        privileges(),
        tracefs(),
        clock_source(),
        clock_cost(),
        direct_io(),
    ];
    let mut text = format!("isotherm {}\n", env!("CARGO_PKG_VERSION"));
    for finding in findings {
        let sign = if finding.good { "ok  " } else { "note" };
        let _ = writeln!(text, "{sign}  {:12} {}", finding.subject, finding.found);
        if !finding.good {
            let _ = writeln!(text, "                   {}", finding.advice);
        }
    }
    let _ = writeln!(text, "\nramps   frequency {}", ramp(style, MapKind::Frequency));
    let _ = writeln!(text, "        intensity {}", ramp(style, MapKind::Intensity));
    screen::print(OutputForm::Painted, &text)
}

fn terminal(style: Style) -> Finding {
    let depth = match style.depth {
        Depth::TrueColour => "24-bit colours",
        Depth::Indexed => "256 colours",
        Depth::Basic => "16 colours",
        Depth::Glyphs => "no colours",
        Depth::Ascii => "no colours, ASCII only",
    };
    let size = crossterm::terminal::size().unwrap_or_default();
    let variable = |name: &str| std::env::var(name).unwrap_or_else(|_| "unset".to_owned());
    let found = format!(
        "{depth}, {:?} background, {}x{}, TERM={} COLORTERM={}",
        style.theme,
        size.0,
        size.1,
        variable("TERM"),
        variable("COLORTERM")
    );
    let good = screen::is_terminal() && style.has_half_blocks();
    finding(
        good,
        "terminal",
        found,
        "a terminal with 256 or more colours shows half-block cells; --color says what to use",
    )
}

/// Which configuration file is used, and what it sets.
fn configuration(config: &Config) -> Finding {
    let advice = "mend the file, or name another one with --config";
    if let Some(problem) = &config.problem {
        return finding(false, "config", problem.clone(), advice);
    }
    let sets = match &config.sets[..] {
        [] => "sets nothing".to_owned(),
        sets => format!("sets {}", sets.join(", ")),
    };
    let usual = config.usual.as_ref().map(|path| path.display().to_string());
    let found = match (&config.path, usual) {
        (Some(path), _) => format!("{} {sets}", path.display()),
        (None, _) if !config.sets.is_empty() => format!("the environment {sets}"),
        (None, Some(usual)) => format!("none: {usual} is not there"),
        (None, None) => "none: neither XDG_CONFIG_HOME nor HOME is set".to_owned(),
    };
    finding(true, "config", found, advice)
}

fn locale() -> Finding {
    let set =
        ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().filter_map(|name| std::env::var(name).ok());
    let locale = set.into_iter().find(|value| !value.is_empty()).unwrap_or_default();
    let utf8 = locale.to_lowercase().replace('-', "").contains("utf8");
    let found = if locale.is_empty() { "not set".to_owned() } else { locale };
    finding(
        utf8,
        "locale",
        found,
        "if blocks and lines look wrong, set LANG=C.UTF-8 or use --ascii",
    )
}

fn bpftrace() -> Finding {
    let advice =
        "disk: and bpftrace: need it: install the package bpftrace (Debian, Ubuntu, Fedora, RHEL)";
    let mut command = Command::new("bpftrace");
    isotherm_live::without_secrets(&mut command);
    match command.arg("--version").output() {
        Ok(output) => {
            let version = String::from_utf8_lossy(&output.stdout).trim().to_owned();
            finding(output.status.success(), "bpftrace", version, advice)
        }
        Err(error) => finding(false, "bpftrace", format!("cannot be run: {error}"), advice),
    }
}

fn privileges() -> Finding {
    let user = rustix::process::geteuid();
    let found = if user.is_root() { "root".to_owned() } else { format!("user {}", user.as_raw()) };
    finding(
        user.is_root(),
        "privileges",
        found,
        "disk: and bpftrace: need root or CAP_BPF and CAP_PERFMON: use sudo; everything else does not",
    )
}

fn tracefs() -> Finding {
    let events = ["/sys/kernel/tracing/events/block", "/sys/kernel/debug/tracing/events/block"];
    let found = events.into_iter().find(|path| fs::read_dir(path).is_ok());
    let text = found.unwrap_or("block tracepoints are not readable").to_owned();
    finding(
        found.is_some(),
        "tracefs",
        text,
        "disk: needs it: mount -t tracefs tracefs /sys/kernel/tracing, as root",
    )
}

fn clock_source() -> Finding {
    let path = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    let name = fs::read_to_string(path).unwrap_or_default().trim().to_owned();
    let fast = matches!(
        name.as_str(),
        "tsc" | "kvm-clock" | "arch_sys_counter" | "hyperv_clocksource_tsc_page"
    );
    let found = if name.is_empty() { "unknown".to_owned() } else { name };
    finding(
        fast,
        "clock source",
        found,
        "a slow clock source makes every time stamp cost microseconds",
    )
}

fn clock_cost() -> Finding {
    const READS: u32 = 100_000;
    let mut smallest = u128::MAX;
    let begin = Instant::now();
    let mut last = begin;
    for _ in 0..READS {
        let now = Instant::now();
        let step = now.duration_since(last).as_nanos();
        if step > 0 {
            smallest = smallest.min(step);
        }
        last = now;
    }
    let each = begin.elapsed().as_nanos() / u128::from(READS);
    let found = format!("reading it takes {each} ns, smallest step {smallest} ns");
    finding(
        each < 1_000,
        "clock",
        found,
        "latencies below some microseconds are blurred by the clock itself",
    )
}

fn direct_io() -> Finding {
    let advice = "probe: falls back to buffered reads here, which measure the page cache";
    match isotherm_live::direct_io_works(Path::new(".")) {
        Ok(works) => {
            let found = if works { "works in this directory" } else { "refused in this directory" };
            finding(works, "O_DIRECT", found.to_owned(), advice)
        }
        Err(error) => finding(false, "O_DIRECT", format!("cannot be tried here: {error}"), advice),
    }
}

/// The ramp as it is painted.
fn ramp(style: Style, map: MapKind) -> String {
    let shades = std::iter::once(Shade::Trace).chain((1..=STEPS).map(Shade::Step));
    let mut text = String::new();
    for shade in shades {
        let cell = if style.has_half_blocks() { '█' } else { style.glyph(shade) };
        match style.ink(map, shade) {
            Some(Ink::Rgb(red, green, blue)) => {
                let _ = write!(text, "\x1b[38;2;{red};{green};{blue}m{cell}{cell}\x1b[0m");
            }
            Some(Ink::Indexed(index)) => {
                let _ = write!(text, "\x1b[38;5;{index}m{cell}{cell}\x1b[0m");
            }
            None => text.extend([cell, cell]),
        }
    }
    text
}

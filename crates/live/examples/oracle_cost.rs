//! What polling costs: 200 wait events of 2 instances every second, asked of a server that is
//! another process. `cargo run --release -p isotherm-live --example oracle_cost [SECONDS]`

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a measurement for developers")]

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use fake_oracle::{Answer, FakeOracle, Script};
use isotherm_formats::Message;
use isotherm_frame::{Assembler, BinnerLimits, Event, Nanos};
use isotherm_live::{Address, Feed, LiveOptions};

const EVENTS: u64 = 200;
const INSTANCES: u64 = 2;

fn main() {
    let mode = std::env::args().nth(1).unwrap_or_else(|| "30".into());
    if mode == "serve" { serve() } else { measure(mode.parse().unwrap()) }
}

/// Answers polls with counters that rise, until standard input ends.
fn serve() {
    let polls = AtomicU64::new(0);
    let script = Script::default()
        .on("parallel as line", Answer::lines(["I|1||19.0.0.0.0|YES", "I|2||19.0.0.0.0|YES"]))
        .on_call("histogram_micro", move |_| poll(polls.fetch_add(1, Ordering::Relaxed)));
    let server = FakeOracle::start(script).unwrap();
    println!("{}", server.port());
    let _ = std::io::stdin().read_to_end(&mut Vec::new());
    println!("{} round trips for {} statements", server.round_trips(), server.statements().len());
}

fn poll(number: u64) -> Answer {
    let mut lines: Vec<String> =
        (1..=INSTANCES).map(|inst| format!("I|{inst}|2026-11-20T06:12:44|19|x{inst}")).collect();
    let mut totals = Vec::new();
    for inst in 1..=INSTANCES {
        for event in 0..EVENTS {
            let count = 1_000_000 + number * (10 + event);
            let mut line = format!("H|{inst}||us|");
            for bucket in 0..20_u32 {
                let comma = if bucket == 0 { "" } else { "," };
                write!(line, "{comma}{}:{count}", 1_u64 << bucket).unwrap();
            }
            lines.push(format!("{line}|an event with a usual name {event}"));
            let (waits, time) = (count * 20, count * 800_000);
            totals.push(format!("S|{inst}||{waits}|{time}|an event with a usual name {event}"));
        }
    }
    lines.extend(totals);
    lines.push(".".to_owned());
    Answer::lines(lines)
}

fn measure(seconds: u64) {
    let mut server = Command::new(std::env::current_exe().unwrap())
        .arg("serve")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut output = BufReader::new(server.stdout.take().unwrap());
    let mut port = String::new();
    output.read_line(&mut port).unwrap();
    let password = std::env::temp_dir().join(format!("isotherm-cost-{}", std::process::id()));
    std::fs::write(&password, "any\n").unwrap();
    let (port, file) = (port.trim(), password.display());
    let address: Address =
        format!("oracle://demo@127.0.0.1:{port}/FAKE?password_file={file}").parse().unwrap();
    let feed = Feed::open(&address, &LiveOptions::default()).unwrap();
    std::fs::remove_file(&password).unwrap();
    let mut assembler = Assembler::new(Nanos::SECOND, BinnerLimits::default());
    let (mut frames, mut events) = (0_u64, 0_u64);
    let (began, cpu) = (Instant::now(), cpu_ticks());
    while began.elapsed() < Duration::from_secs(seconds) {
        let Ok(batch) = feed.receiver().recv_timeout(Duration::from_millis(500)) else { continue };
        for message in batch.messages {
            if let Message::Reading(reading) = message {
                assembler.push(reading, &mut |output| {
                    if let Event::Frame(frame) = output {
                        frames += 1;
                        events += frame.counts.events();
                    }
                });
            }
        }
    }
    let used = (cpu_ticks() - cpu) as f64 / 100.0;
    let share = used * 100.0 / began.elapsed().as_secs_f64();
    println!("{frames} frames with {events} waits in {seconds} s: {used:.2} s of processor time");
    println!("{share:.2} % of one core");
    feed.stop();
    drop(server.stdin.take());
    let mut rest = String::new();
    output.read_to_string(&mut rest).unwrap();
    print!("{rest}");
    server.wait().unwrap();
}

/// User and system time of this process, in hundredths of a second.
fn cpu_ticks() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let after = stat.rsplit_once(')').unwrap().1;
    let fields: Vec<&str> = after.split_whitespace().collect();
    fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
}

//! How long it takes to find whose an input is: the first time in a process, and again.
//!
//! `cargo run --release -p isotherm-formats --example detection_speed [FILE]...`; without a file: texts of its own.

#![allow(clippy::print_stdout, reason = "printing is what it is for")]

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use isotherm_formats::{HEAD, Recognition, recognise};

/// Times after the first one.
const REPEATS: u32 = 40;

fn lines(line: impl Fn(usize) -> String) -> Vec<u8> {
    let mut text = String::new();
    for number in 0.. {
        writeln!(text, "{}", line(number)).expect("memory takes everything");
        if text.len() > HEAD {
            break;
        }
    }
    text.truncate(HEAD);
    text.into_bytes()
}

/// Texts that no format begins with, so that all are asked.
fn own() -> Vec<(String, Vec<u8>)> {
    let second = |number: usize| format!("05:{:02}:{:02}", number / 60 % 60, number % 60);
    let plain = |number| {
        format!("The quick brown fox number {number} jumps over the lazy dog, again and again")
    };
    let numbers =
        |number| format!("{}.{:03} {}", 1_700_000_000 + number, number % 1_000, 20 + number % 77);
    let dates = |number| {
        format!("2026-11-21 {} INFO request {number} took {} ms", second(number), number % 90)
    };
    let access = |number| {
        let (client, second, bytes) = (number % 250, second(number), 100 + number);
        format!(
            "10.0.0.{client} - - [21/Nov/2026:{second} +0000] \"GET /a/{number} HTTP/1.1\" 200 \
             {bytes} \"-\" \"curl/8\""
        )
    };
    let json = |number| {
        let (second, took) = (second(number), number % 90);
        format!(r#"{{"at":"2026-11-21T{second}Z","what":"request {number}","took":{took}}}"#)
    };
    let syslog = |number| {
        let (second, process) = (second(number), 100 + number % 9);
        format!("Nov 21 {second} host app[{process}]: request {number} is done")
    };
    let texts = [
        ("plain text", lines(plain)),
        ("numbers", lines(numbers)),
        ("dates", lines(dates)),
        ("access log", lines(access)),
        ("JSON lines", lines(json)),
        ("syslog", lines(syslog)),
    ];
    texts.into_iter().map(|(name, text)| (name.to_owned(), text)).collect()
}

fn name(found: &Recognition) -> &'static str {
    match found {
        Recognition::Known(source) => source.meta().name,
        Recognition::Empty => "empty",
        Recognition::Unknown => "unknown",
    }
}

fn main() {
    let files = std::env::args().skip(1).map(|path| {
        let mut text = std::fs::read(&path).expect("a file that can be read");
        text.truncate(HEAD);
        (path, text)
    });
    let files: Vec<(String, Vec<u8>)> = files.collect();
    for (title, text) in if files.is_empty() { own() } else { files } {
        let begun = Instant::now();
        let found = recognise(&text);
        let first = begun.elapsed();
        let mut least = Duration::MAX;
        for _ in 0..REPEATS {
            let begun = Instant::now();
            recognise(&text);
            least = least.min(begun.elapsed());
        }
        println!("{title}: {}, first {first:.2?}, again {least:.2?}", name(&found));
    }
}

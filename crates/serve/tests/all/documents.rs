//! Documents: everything is in them, and what is new replaces what was there.

use std::collections::BTreeMap;

use isotherm_frame::{Account, Event, Frame, Histogram, Nanos, Scheme};
use isotherm_serve::Limits;
use serde_json::Value;

use crate::client::{Site, VIEW, frame, head_of};
use crate::streams::Client;

/// A number in the form of the blocks, and what follows it.
fn number(bytes: &[u8], at: &mut usize) -> u64 {
    let (mut value, mut shift) = (0, 0);
    loop {
        let byte = bytes[*at];
        *at += 1;
        value |= u64::from(byte & 127) << shift;
        shift += 7;
        if byte < 128 {
            return value;
        }
    }
}

/// The events of each column that has any, by its start in microseconds, of the entry at `index`.
pub fn columns(document: &[u8], index: usize) -> BTreeMap<i64, u64> {
    let head = head_of(document);
    let body = &document[4 + u32::from_le_bytes(document[..4].try_into().unwrap()) as usize..];
    let entry = &head["entries"][index];
    let block = |name: &str| usize::try_from(entry[name][0].as_u64().unwrap()).unwrap();
    let whole = |name: &str| entry[name].as_f64().unwrap() as i64;
    let (start, width) = (whole("t0_us"), whole("width_us"));
    let mut states = Vec::new();
    let mut at = block("state");
    while (states.len() as u64) < entry["columns"].as_u64().unwrap() {
        let state = number(body, &mut at);
        for _ in 0..number(body, &mut at) {
            states.push(state);
        }
    }
    let mut at = block("cells");
    let mut columns = BTreeMap::new();
    for (column, _) in states.iter().enumerate().filter(|(_, state)| **state == 0) {
        let mut events = 0;
        for _ in 0..number(body, &mut at) {
            number(body, &mut at);
            for _ in 0..number(body, &mut at) {
                events += number(body, &mut at);
            }
        }
        columns.insert(start + i64::try_from(column).unwrap() * width, events);
    }
    columns
}

/// The place of an entry, by what it is of.
pub fn place(head: &Value, kind: &str, name: Option<&str>) -> usize {
    let entries = head["entries"].as_array().unwrap();
    let is = |entry: &Value| entry["kind"] == kind && entry["name"].as_str() == name;
    entries.iter().position(is).unwrap()
}

fn expected(first: i64, end: i64) -> BTreeMap<i64, u64> {
    let at = |second: i64| (1_700_000_000 + second) * 1_000_000;
    (first..end).map(|second| (at(second), second.rem_euclid(5).unsigned_abs() + 1)).collect()
}

#[test]
fn before_anything_has_come_there_is_a_document_without_entries() {
    let site = Site::with(isotherm_serve::Limits::default(), &["disk:", "probe:."]);
    let (head, _) = site.document("");
    assert_eq!(head["entries"].as_array().unwrap().len(), 0);
    assert_eq!(head["recordings"].as_array().unwrap().len(), 2);
    let live = &head["live"];
    assert_eq!((live["tick"].as_u64(), live["over"].as_bool()), (Some(0), Some(false)));
    assert_eq!(live["sources"][1]["label"], "probe:.");
    assert!(live["end_us"].is_null() && live["keep_us"].is_null());
    let reply = site.ask_with(VIEW, "POST /api/v1/save");
    assert_eq!(reply.status, 400, "{}", reply.text());
}

#[test]
fn a_document_holds_what_came() {
    let site = Site::new();
    site.feed(0, "read", (0, 100));
    site.feed(0, "write", (50, 60));
    let (head, document) = site.document("");
    let read = place(&head, "series", Some("read"));
    assert_eq!(columns(&document, read), expected(0, 100));
    assert_eq!(columns(&document, place(&head, "series", Some("write"))), expected(50, 60));
    let all = place(&head, "all", None);
    assert_eq!(head["entries"][all]["events"].as_u64(), Some(300 + 30));
    assert_eq!(columns(&document, all).values().sum::<u64>(), 330);
    let grids = head["entries"].as_array().unwrap().iter();
    let grids: Vec<_> = grids.map(|e| (&e["t0_us"], &e["width_us"], &e["columns"])).collect();
    assert!(grids.windows(2).all(|pair| pair[0] == pair[1]), "{grids:?}");

    // A part of time, one entry, wider columns.
    let id = head["entries"][read]["id"].as_str().unwrap();
    let query = format!("?entry={id}&from=1700000010000000&to=1700000030000000&columns=5&facets=0");
    let (part, document) = site.document(&query);
    assert_eq!(part["entries"].as_array().unwrap().len(), 1);
    let columns = columns(&document, 0);
    assert!(columns.len() <= 5 && columns.values().sum::<u64>() == 60, "{columns:?}");
    assert_eq!(part["entries"][0]["facets"].as_array().unwrap().len(), 0);
}

#[test]
fn a_document_is_packed_for_who_takes_that() {
    let site = Site::new();
    site.feed(0, "read", (0, 100));
    let fields = format!("Authorization: Bearer {VIEW}\r\nAccept-Encoding: gzip\r\n");
    let reply = site.ask("GET /api/v1/document", &fields);
    assert_eq!(reply.field("Content-Encoding"), Some("gzip"));
    assert_eq!(reply.body[..2], [0x1f, 0x8b]);
}

#[test]
fn the_report_that_is_saved_needs_no_server() {
    let site = Site::new();
    site.feed(0, "read", (0, 100));
    let reply = site.ask_with(VIEW, "POST /api/v1/save");
    assert_eq!(reply.status, 200);
    assert!(reply.field("Content-Disposition").unwrap().starts_with("attachment; filename="));
    let page = reply.text();
    assert!(page.to_lowercase().starts_with("<!doctype html>"), "{}", &page[..100]);
    // 100 intervals of 1 to 5 events, by its text for who has no scripts.
    assert!(page.contains(">300<"), "{}", &page[page.find("<body").unwrap()..][..3_000]);
}

/// Intervals of a second of a series without events.
fn silence(site: &Site, series: &str, (first, end): (i64, i64)) {
    let none =
        |second| Frame { counts: Histogram::empty(Scheme::log_linear()), ..frame(series, second) };
    let events: Vec<Event> = (first..end).map(|second| Event::Frame(none(second))).collect();
    site.history.take(0, &events, &Account::default());
}

fn everything(head: &Value) -> (u64, f64) {
    let all = &head["entries"][place(head, "all", None)];
    (all["events"].as_u64().unwrap(), all["covered_s"].as_f64().unwrap())
}

/// A series that is silent for an hour has one interval of an hour.
#[test]
fn silence_counts_as_long_as_the_part_of_time_that_is_looked_at() {
    let keep = Some(Nanos::from_millis(60_000));
    let site = Site::that_keeps(64 << 20, keep, (Limits::default(), &["disk:"]));
    site.feed(0, "busy", (0, 3_600));
    silence(&site, "silent", (0, 3_600));
    // One to five events in turn: 3 a second.
    let (head, _) = site.document("");
    assert_eq!(everything(&head), (180, 60.0));
    let (part, _) = site.document("?from=1700003550000000&to=1700003560000000");
    assert_eq!(everything(&part), (30, 10.0));
    let sentences = head["entries"][place(&head, "all", None)]["sentences"].to_string();
    assert!(!sentences.contains("no events"), "{sentences}");
}

#[test]
fn where_the_oldest_intervals_did_not_fit_nothing_is_told_of_their_time() {
    let site = Site::that_keeps(200_000, None, (Limits::default(), &["disk:"]));
    for first in (0..20_000).step_by(1_000) {
        site.feed(0, "busy", (first, first + 1_000));
        silence(&site, "silent", (first, first + 1_000));
    }
    let (head, document) = site.document("?columns=6000");
    let us = |value: &Value| value.as_f64().unwrap() as i64;
    let kept_from = us(&head["live"]["kept_from_us"]) - 1_700_000_000_000_000;
    assert!((1_000_000..19_900_000_000).contains(&kept_from), "{kept_from}");
    let (events, covered_s) = everything(&head);
    // 3 events a second, but for the part of an interval at the beginning.
    assert!((events as f64 / covered_s - 3.0).abs() < 0.05, "{events} in {covered_s} s");
    let all = columns(&document, place(&head, "all", None));
    assert!(all.values().all(|events| *events > 0), "{all:?}");
    assert!(all.keys().all(|at| *at >= 1_700_000_000_000_000 + kept_from - 10_000_000));
}

#[test]
fn of_a_part_of_time_in_which_nothing_is_kept_there_is_nothing() {
    let site = Site::with(Limits::default(), &["yesterday", "today"]);
    site.feed(0, "read", (-90_000, -89_000));
    site.feed(1, "read", (0, 100));
    let far = "?from=4000000000000000";
    let (head, _) = site.document(far);
    assert_eq!(head["entries"].as_array().unwrap().len(), 0);
    let saved = site.ask_with(VIEW, &format!("POST /api/v1/save{far}"));
    assert_eq!(saved.status, 400, "{}", saved.text());
    let (today, _) = site.document("?from=1700000000000000&to=1700000100000000");
    let entries = today["entries"].as_array().unwrap();
    assert!(entries.iter().all(|entry| entry["recording"] == 1), "{entries:?}");
    assert_eq!(entries.len(), 1);
    let saved = site.ask_with(VIEW, "POST /api/v1/save?entry=x");
    assert_eq!(saved.status, 400, "{}", saved.text());
}

#[test]
fn what_was_said_before_a_page_is_opened_is_in_its_document() {
    let site = Site::with(Limits::default(), &["disk:", "oracle://db1"]);
    site.feed(0, "read", (0, 5));
    let full = "NOT RECORDING: the disk is full";
    site.history.take(0, &[Event::Message(full.to_owned())], &Account::default());
    let (head, _) = site.document("");
    let [disk, oracle] = [0, 1].map(|index| &head["live"]["sources"][index]);
    assert_eq!((&disk["said"][0]["text"], &disk["not_recording"]), (&full.into(), &full.into()));
    let [now, arrived, said] =
        [&head["live"]["now_us"], &disk["arrived_us"], &disk["said"][0]["at_us"]]
            .map(|at| at.as_u64().unwrap());
    assert!(arrived <= said && said <= now, "{arrived} {said} {now}");
    // Of the other one nothing has come, whatever comes of the first.
    assert!(oracle["arrived_us"].is_null() && oracle["newest_us"].is_null());
    assert_eq!(oracle["said"].as_array().unwrap().len(), 0);
}

/// Documents of all that is there at the end, and of what came bit by bit, hold the same columns.
#[test]
fn what_comes_bit_by_bit_is_what_comes_at_once() {
    let site = Site::new();
    site.feed(0, "read", (0, 3));
    let (head, document) = site.document("");
    let layout = head["live"]["layout"].as_str().unwrap();
    let mut known = columns(&document, place(&head, "series", Some("read")));
    let mut client = Client::connect(&site, head["live"]["tick"].as_u64().unwrap(), layout);
    let mut written = BTreeMap::new();
    for second in 3..40 {
        site.feed(0, "read", (second, second + 1));
        if second > 20 {
            site.feed(0, "write", (second, second + 1));
        }
        // An interval of the past that came late.
        if second == 30 {
            site.feed(0, "write", (12, 14));
        }
    }
    let (whole, all) = site.document("");
    let tick = whole["live"]["tick"].as_u64().unwrap();
    loop {
        let event = client.next();
        if event.kind == "columns" {
            let document = event.document();
            let head = head_of(&document);
            for (index, entry) in head["entries"].as_array().unwrap().iter().enumerate() {
                match (entry["kind"].as_str(), entry["name"].as_str()) {
                    (Some("series"), Some("read")) => known.extend(columns(&document, index)),
                    (Some("series"), Some("write")) => written.extend(columns(&document, index)),
                    _ => {}
                }
            }
        }
        assert_ne!(event.kind, "restart", "{}", event.data);
        if event.tick >= tick && event.kind == "columns" {
            break;
        }
    }
    assert_eq!(known, columns(&all, place(&whole, "series", Some("read"))));
    assert_eq!(known, expected(0, 40));
    assert_eq!(written, columns(&all, place(&whole, "series", Some("write"))));
    assert_eq!(written.values().sum::<u64>(), expected(21, 40).values().sum::<u64>() + 3 + 4);
}

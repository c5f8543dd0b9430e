mod access;
mod late;
mod lost;
mod mended;

use isotherm_frame::{Account, Nanos, Reading, Timestamp};

use super::book::{COMPILED, Compiled, all};
use super::definition::Definition;
use super::format::Format;
use super::recognition::{Beginning, recognise};
use crate::{Message, Context, DecodeError, Sink};

/// What was read.
#[derive(Default)]
struct Decoded {
    events: Vec<(Timestamp, String, Nanos)>,
    account: Account,
}

impl Sink for Decoded {
    fn take(&mut self, message: Message) {
    let Some(reading) = message.into_reading(&mut self.account) else { return };
    match reading {
        Reading::Event { at, series, latency } => {
            self.events.push((at, series.to_string(), latency));
        }
        Reading::Delta(frame) => {
            let sum = frame.counts.sum().unwrap_or(Nanos::ZERO);
            self.events.push((frame.end, frame.series.to_string(), sum));
        }
        other => panic!("{other:?}"),
    }
    }
}

fn read_with(
    format: &Format,
    text: &str,
    context: &Context,
) -> (Decoded, Result<(), DecodeError>) {
    let mut decoded = Decoded::default();
    let result = super::reader::read(format, &mut text.as_bytes(), context, &mut decoded);
    (decoded, result)
}

/// What a text is recognised as, and what is read of it.
fn read(text: &str) -> (&'static str, Decoded) {
    let format = recognise(text.as_bytes()).unwrap_or_else(|| panic!("not recognised: {text}"));
    let (decoded, result) = read_with(format, text, &Context::default());
    result.unwrap();
    (&format.definition.name, decoded)
}

/// The latencies in microseconds.
fn micros(decoded: &Decoded) -> Vec<u64> {
    decoded.events.iter().map(|(_, _, latency)| latency.as_nanos() / 1_000).collect()
}

/// When events ended, in milliseconds.
fn ends(decoded: &Decoded) -> Vec<i64> {
    decoded.events.iter().map(|(at, ..)| at.as_nanos() / 1_000_000).collect()
}

#[test]
fn every_compiled_format_is_right_and_short_and_reads_its_own_example() {
    /// Lines without comments and the example.
    const LONGEST: usize = 25;
    assert_eq!(all().count(), COMPILED.len(), "some definition is wrong");
    for Compiled { text, json } in COMPILED {
        let format = Format::parse((*text).to_owned()).unwrap();
        let definition = &format.definition;
        let as_json = serde_json::from_str::<Definition>(json).unwrap();
        assert_eq!(format!("{as_json:?}"), format!("{definition:?}"));
        let name = &definition.name;
        let before_example = text.split("\nexample = ").next().unwrap_or_default();
        let lines = before_example.lines().filter(|line| !line.starts_with('#')).count();
        assert!(lines <= LONGEST, "{name}: {lines} lines");
        assert!(definition.link.starts_with("https://"), "{name}: {}", definition.link);
        let found = recognise(definition.example.as_bytes());
        let found = found.map(|format| format.definition.name.as_str());
        assert_eq!(found, Some(name.as_str()), "{name}: its example");
        let asked = definition.latency.as_ref().is_some_and(|latency| latency.ask.is_some());
        let unit = asked.then_some(isotherm_frame::Unit::Millis);
        let context = Context { unit, ..Context::default() };
        let (decoded, result) = read_with(&format, &definition.example, &context);
        if definition.refusal().is_some() {
            assert!(result.is_err(), "{name}");
        } else {
            result.unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(!decoded.events.is_empty(), "{name}: {:?}", decoded.account);
            assert_eq!(decoded.account.rejected, 0, "{name}: {:?}", decoded.account.rejections);
        }
    }
}

#[test]
fn the_example_of_a_format_is_of_no_other() {
    for format in all() {
        let beginning = Beginning::of(format.definition.example.as_bytes()).unwrap();
        for other in all().filter(|other| other.definition.name != format.definition.name) {
            // Of two that fit, the first one listed is taken: it is the more special one.
            let first = all().find(|one| beginning.is_of(one)).map(|one| &one.definition.name);
            assert!(!beginning.is_of(other) || first == Some(&format.definition.name), "{}", other.definition.name);
        }
    }
}

#[test]
fn columns_of_jmeter_may_stand_in_any_order_or_without_names() {
    let (name, decoded) = read(
        "label,success,elapsed,timeStamp,responseCode\nHome,true,7,1700003000000,200\n\
         \"Log, in\",false,903,1700003000100,500\n",
    );
    assert_eq!((name, micros(&decoded)), ("jmeter", vec![7_000, 903_000]));
    // It began at its time stamp.
    assert_eq!(ends(&decoded), [1_700_003_000_007, 1_700_003_001_003]);
    let series: Vec<&str> = decoded.events.iter().map(|(_, series, _)| series.as_str()).collect();
    assert!(series[0].contains("Home") && series[0].contains("ok"), "{series:?}");
    assert!(series[1].contains("Log, in") && series[1].contains("failed"), "{series:?}");
    let (name, decoded) =
        read("1700003000000,7,Home,200,OK,Users 1-1,text,true,,1591,115,5,5,http://x/,6,0,0\n");
    assert_eq!((name, micros(&decoded)), ("jmeter", vec![7_000]));
    let (_, decoded) = read("timeStamp|time|label\n1700003000250|7|Home\n");
    assert_eq!(ends(&decoded), [1_700_003_000_257]);
    let (_, decoded) = read("timeStamp;elapsed;label\n2023/11/14 23:03:20.250;7;Home\n");
    assert_eq!(ends(&decoded), [1_700_003_000_257]);
}

#[test]
fn a_cell_may_hold_the_end_of_a_line() {
    let (_, decoded) = read(
        "timeStamp,elapsed,label,failureMessage,success\n\
         1700003000000,7,Home,\"expected:\n  200, but\n  it was 500\",false\n1700003000100,9,Home,,true\n",
    );
    assert_eq!(micros(&decoded), [7_000, 9_000]);
    assert_eq!(decoded.account.rejected, 0);
}

#[test]
fn of_k6_only_the_duration_of_requests_is_counted() {
    let (_, decoded) = read(
        "metric_name,timestamp,metric_value,error_code,expected_response,method,status\n\
         http_reqs,1700003000,1.0,,true,GET,200\nhttp_req_duration,1700003000,7.44,,true,GET,200\n\
         http_req_waiting,1700003000,7.1,,true,GET,200\nhttp_req_duration,1700003001,60000,1050,false,GET,0\n\
         data_received,1700003000,1234,,,,\n",
    );
    assert_eq!(micros(&decoded), [7_440, 60_000_000]);
    assert_eq!(decoded.account.ignored_lines, 4);
    assert!(decoded.events[1].1.contains("failed"), "{:?}", decoded.events);
}

#[test]
fn packets_that_are_missing_are_lost_until_they_come() {
    let line = |n: u32| format!("64 octets de 192.0.2.8 : icmp_seq={n} ttl=57 temps=4,25 ms\n");
    let text = [1, 2, 5, 4, 7].map(line).concat();
    let (name, decoded) = read(&text);
    assert_eq!((name, micros(&decoded)), ("ping", vec![4_250; 5]));
    // The third and the sixth; the fourth was late.
    assert_eq!(decoded.account.lost, 2);
    assert_eq!(ends(&decoded), [1_000, 2_000, 5_000, 4_000, 7_000]);
    let (_, decoded) = read("16 bytes from 2001:db8::1, icmp_seq=0 hlim=64 time=7.4 ms\n");
    assert!(decoded.events[0].1.contains("2001:db8::1"), "{:?}", decoded.events);
}

#[test]
fn attributes_that_a_request_has_not_are_not_named() {
    let (_, decoded) = read(
        "{\"time\":\"2023-11-14T23:03:20Z\",\"request_time\":0.007,\"status\":200}\n\
         {\"time\":\"2023-11-14T23:03:20Z\",\"request_time\":0.009,\"request_method\":\"200\"}\n",
    );
    let series: Vec<&str> = decoded.events.iter().map(|(_, series, _)| series.as_str()).collect();
    assert_eq!(series, ["request{outcome=ok,status=200}", "request{method=200,outcome=ok}"]);
    assert!(decoded.account.notices.is_empty(), "{:?}", decoded.account.notices);
}

#[test]
fn a_table_that_goes_on_after_another_head_and_one_that_is_cut_are_read_as_far_as_they_are_whole() {
    let head = "response-time,DNS+dialup,status-code,offset\n";
    let (_, decoded) = read(&format!("{head}0.0074,0,200,0.0000\n{head}0.0092,0,200,0.10"));
    assert_eq!(micros(&decoded), [7_400]);
    assert_eq!(decoded.account.rejected, 1, "{:?}", decoded.account.rejections);
    let (_, decoded) = read(&format!("{head}0.0074,0,200,0.0000\n0.0092,0,200\n0.0100,0,200,0.2000,7\n"));
    assert_eq!((micros(&decoded), decoded.account.rejected), (vec![7_400], 2));
}

#[test]
fn what_a_format_assumes_or_leaves_out_is_in_the_account() {
    let user = Format::parse(
        "name = 'mine'\ntitle = 'a log of ours'\nlink = 'https://example.org'\nkind = 'table'\n\
         recognise.fields = ['at', 'took']\ntime = { fields = ['at'], moment = 'end', unit = 's' }\n\
         latency = { fields = ['took'], unit = 'us' }\nfailed = { state = ['error'] }\nexample = ''\n"
            .to_owned(),
    )
    .unwrap();
    let text = "at,took,state,who\n1700003000,250,ok,a\n1700003001,-,error,b\n1700003002,,ok,b\n";
    let context = Context { by: vec!["who".into(), "town".into()], ..Context::default() };
    let (decoded, result) = read_with(&user, text, &context);
    result.unwrap();
    assert_eq!(micros(&decoded), [250]);
    let said: Vec<String> = decoded.account.notices.iter().map(ToString::to_string).collect();
    assert!(said.iter().any(|said| said.contains("2 requests have no latency (1 of them failed)")), "{said:?}");
    assert!(said.iter().any(|said| said.contains("no event has the attribute 'town'")), "{said:?}");
    assert!(decoded.account.lacks("town") && !decoded.account.lacks("who"), "{:?}", decoded.account);
    assert!(decoded.events[0].1.contains('a'), "{:?}", decoded.events);
}

#[test]
fn what_is_wrong_with_a_definition_is_said() {
    let good = "name = 'a'\ntitle = 'b'\nlink = 'c'\nkind = 'json'\nrecognise.fields = ['d']\nexample = ''\n";
    let latency = "latency = { fields = ['d'], unit = 'ms' }\n";
    assert!(Format::parse(format!("{good}{latency}")).is_ok());
    for (text, expected) in [
        (good.to_owned(), "[latency] is missing"),
        (format!("{good}latency = {{ unit = 'ms' }}\n"), "[latency] needs fields"),
        (format!("{good}latency = {{ fields = ['d'], unit = 'parsecs' }}\n"), "'parsecs' is not a unit"),
        (format!("{good}{latency}by = ['x']\n"), "there is no attribute 'x'"),
        (format!("{good}{latency}colour = 'x'\n"), "colour"),
        (format!("{good}{latency}").replace("'json'", "'text'"), "text needs lines"),
        (format!("{good}{latency}lines = ['(']\n"), "unclosed group"),
        (format!("{good}{latency}").replace("'a'", "'A b'"), "small letters"),
    ] {
        let wrong = Format::parse(text.clone()).err().unwrap_or_else(|| panic!("accepted: {text}"));
        assert!(wrong.contains(expected), "{wrong}");
    }
}

/// Rows below names that lack the latency are no requests with another column for it, whether such names
/// come first, last or twice.
#[test]
fn below_names_without_the_latency_rows_are_rejected() {
    let names = |last: &str| format!("#Fields: date time cs-method sc-status sc-win32-status {last}\n");
    let row = |minute: u32, last: u32| format!("2026-11-21 09:{minute}:00 GET 200 0 {last}\n");
    let text = [
        "#Software: Microsoft Internet Information Services 10.0\n".to_owned(),
        names("sc-bytes"),
        row(10, 9_000),
        names("time-taken"),
        row(11, 7),
        names("sc-bytes"),
        row(12, 9_000),
        names("cs-bytes"),
        row(13, 9_000),
        names("time-taken"),
        row(14, 8),
    ];
    let (name, decoded) = read(&text.concat());
    assert_eq!((name, micros(&decoded)), ("iis", vec![7_000, 8_000]));
    assert_eq!((decoded.account.rejected, decoded.account.rejected_events), (3, 3));
    let reasons: Vec<String> = decoded.account.rejections.iter().map(ToString::to_string).collect();
    assert!(reasons.iter().all(|reason| reason.contains("the names above it lack time-taken")), "{reasons:?}");
}

/// Two files in one, with other columns in the same number.
#[test]
fn other_names_of_as_many_columns_are_taken_within_a_table() {
    let (name, decoded) = read(
        "timeStamp,elapsed,label,responseCode,success\n1700003000000,7,Home,200,true\n\
         timeStamp,label,elapsed,responseCode,success\n1700003001000,9,14,200,true\n",
    );
    assert_eq!((name, micros(&decoded)), ("jmeter", vec![7_000, 14_000]));
}

/// Caddy writes seconds unless it is told otherwise, and a line does not say.
#[test]
fn a_unit_that_is_usual_gives_way_to_one_that_is_given() {
    let text = "{\"ts\":1795253272.365,\"logger\":\"http.log.access\",\"status\":200,\
                \"request\":{\"method\":\"GET\",\"uri\":\"/\"},\"duration\":10.739012}\n";
    let (name, decoded) = read(text);
    assert_eq!((name, micros(&decoded)), ("caddy", vec![10_739_012]));
    let said = |decoded: &Decoded| {
        format!("{:?} {:?}", decoded.account.notices, decoded.account.assumptions)
    };
    assert!(said(&decoded).contains("duration_format"), "{}", said(&decoded));
    let format = recognise(text.as_bytes()).unwrap();
    let context = Context { unit: Some(isotherm_frame::Unit::Millis), ..Context::default() };
    let (decoded, result) = read_with(format, text, &context);
    result.unwrap();
    assert_eq!(micros(&decoded), [10_739]);
    // What has no more decimals than milliseconds have is not taken to be seconds.
    let format = recognise(text.replace("10.739012", "10.739").as_bytes()).unwrap();
    let (_, result) = read_with(format, text, &Context::default());
    assert!(result.unwrap_err().to_string().contains("say --unit ms or --unit ns"));
    assert!(!said(&decoded).contains("--unit"), "{}", said(&decoded));
}

/// What is read where `--series` has this text.
fn read_series(text: &str, series: &str) -> Decoded {
    let format = recognise(text.as_bytes()).unwrap();
    let context = Context { series: Some(series.to_owned()), ..Context::default() };
    let (decoded, result) = read_with(format, text, &context);
    result.unwrap();
    decoded
}

#[test]
fn of_several_sorts_the_first_that_is_there_is_read_or_the_one_that_is_asked_for() {
    let rows = |names: &[&str]| {
        let row = |(at, name): (usize, &&str)| format!("{name},{},{}.5,GET,200\n", 1_700_003_000 + at, at + 7);
        let rows: Vec<String> = names.iter().enumerate().map(row).collect();
        format!("metric_name,timestamp,metric_value,method,status\n{}", rows.concat())
    };
    let all = rows(&["vus", "http_req_waiting", "http_req_duration", "iteration_duration"]);
    let (name, decoded) = read(&all);
    assert_eq!((name, micros(&decoded)), ("k6", vec![9_500]));
    let said = format!("{:?}", decoded.account.assumptions);
    assert!(said.contains("--series NAME chooses another: iteration_duration, http_req_waiting"), "{said}");
    let waiting = read_series(&all, "http_req_waiting");
    assert_eq!(micros(&waiting), [8_500]);
    assert!(waiting.events[0].1.starts_with("http_req_waiting{"), "{:?}", waiting.events);
    assert_eq!(micros(&read_series(&all, "ITERATION*")), [10_500]);
    // What is the text of another part of the series chooses nothing.
    assert_eq!(micros(&read_series(&all, "GET")), [9_500]);
    assert_eq!(micros(&read(&rows(&["vus", "iteration_duration"])).1), [8_500]);
    assert_eq!(micros(&read(&rows(&["iteration_duration", "grpc_req_duration"])).1), [8_500]);
    // One that comes before the one that is read, and turns up behind the beginning.
    let late = rows(&vec!["iteration_duration"; 2_000]) + &rows(&["http_req_duration"]);
    let (_, decoded) = read(&late);
    assert_eq!(decoded.events.len(), 2_000);
    assert!(decoded.account.notices.iter().any(|said| said.contains("http_req_duration is there, too")));
    // One that is nowhere.
    let context = Context { series: Some("ws_ping".into()), ..Context::default() };
    let (_, result) = read_with(recognise(all.as_bytes()).unwrap(), &all, &context);
    assert!(result.unwrap_err().to_string().contains("without ws_ping; --series chooses http_req_duration"));
}

#[test]
fn the_times_of_several_servers_are_added_up() {
    let line = |upstream: &str| {
        format!(
            "{{\"time_iso8601\":\"2023-11-14T23:03:20Z\",\"request_time\":0.009,\
             \"upstream_response_time\":\"{upstream}\"}}\n"
        )
    };
    let text = ["0.005", "0.001, 0.003", "-", "0.002 : 0.001", "-, 0.004", ""].map(line).concat();
    assert_eq!(micros(&read(&text).1), [9_000; 6]);
    let upstream = read_series(&text, "upstream_response_time");
    assert_eq!(micros(&upstream), [5_000, 4_000, 3_000, 4_000]);
    let said = format!("{:?}", upstream.account.notices);
    assert!(said.contains("2 requests have no latency"), "{said}");
}

#[test]
fn transactions_are_not_counted_beside_their_requests_but_where_there_is_nothing_else() {
    let head = "timeStamp,elapsed,label,responseCode,responseMessage,success\n";
    let request = "1700003000000,7,Home,200,OK,true\n";
    let transaction = "1700003000000,9,Checkout,200,\"Number of samples in transaction : 1, number of failing \
                       samples : 0\",true\n";
    let text = [head, transaction, request].concat();
    assert_eq!(micros(&read(&text).1), [7_000]);
    assert_eq!(micros(&read_series(&text, "transaction")), [9_000]);
    assert_eq!(micros(&read(&[head, transaction].concat()).1), [9_000]);
}

#[test]
fn what_stands_around_lines_is_taken_off_and_gives_the_time_that_they_lack() {
    let ping = |n: u32| format!("64 bytes from 192.0.2.8: icmp_seq={n} ttl=57 time=4.25 ms");
    for (before, expected) in [
        ("2023-11-14T23:03:20.5Z stdout F ", 1_700_003_000_500),
        ("Tue Nov 14 23:03:20 UTC 2023: ", 1_700_003_000_000),
        ("[2023-11-14 23:03:20.25+00:00] ", 1_700_003_000_250),
        ("1700003000.75 ", 1_700_003_000_750),
        ("<14>1 2023-11-14T23:03:20Z host ping 7 - - ", 1_700_003_000_000),
        ("2023-11-14T23:03:20Z host ping[7]: ", 1_700_003_000_000),
    ] {
        let lines: Vec<String> = (1..=3).map(|n| format!("{before}{}\n", ping(n))).collect();
        let text = lines.concat();
        let (name, decoded) = read(&text);
        assert_eq!((name, ends(&decoded)), ("ping", vec![expected; 3]), "{before}");
        let said = format!("{:?}", decoded.account.assumptions);
        assert!(!said.contains("one packet a second"), "{said}");
    }
    // A line of the container runtime that is cut is that of nobody, and others are read on.
    let docker = |text: &str| format!("{{\"log\":\"{text}\\n\",\"stream\":\"stdout\",\"time\":\"2023-11-14T23:03:20.5Z\"}}\n");
    let text = format!("{}{{\"log\":\"64 by\n{}", docker(&ping(1)), docker(&ping(2)));
    let (_, decoded) = read(&text);
    assert_eq!(ends(&decoded), [1_700_003_000_500; 2]);
    // A log of any program with a date in front is none of these.
    let other = "2023-11-14 23:03:20 INFO GET /a took 45.2ms\n2023-11-14 23:03:21 INFO GET /a took 44.2ms\n";
    assert!(recognise(other.as_bytes()).is_none());
    assert!(recognise(b"12:34:56 GET: took=5ms\n12:34:57 GET: took=6ms\n").is_none());
}

#[test]
fn formats_are_chosen_by_their_name_or_by_their_program() {
    let named = |name: &str, text: &str| {
        let mut decoded = Decoded::default();
        let source = super::formats_named(name)?;
        source.decode(&mut text.as_bytes(), &Context::default(), &mut decoded).unwrap();
        Some(micros(&decoded))
    };
    let csv = "timeStamp,elapsed,label\n1700003000000,7,Home\n";
    let xml = "<testResults>\n<httpSample t=\"9\" ts=\"1700003000000\" s=\"true\"/>\n</testResults>\n";
    assert_eq!(named("jmeter", csv), Some(vec![7_000]));
    assert_eq!(named("jmeter", xml), Some(vec![9_000]));
    assert_eq!(named("jmeter-xml", xml), Some(vec![9_000]));
    assert_eq!(named("jme", csv), None);
}

#[test]
fn lines_that_a_container_runtime_divided_are_put_together() {
    let ping = |n: u32, ms: u32| format!("64 bytes from 192.0.2.8: icmp_seq={n} ttl=57 time={ms}.25 ms");
    let cri = |stream: &str, part: &str, text: &str| format!("2023-11-14T23:03:20.5Z {stream} {part} {text}\n");
    let docker = |stream: &str, end: &str, text: &str| {
        format!("{{\"log\":\"{text}{end}\",\"stream\":\"{stream}\",\"time\":\"2023-11-14T23:03:20.5Z\"}}\n")
    };
    // Cut within its latency, with a line of the other stream between the parts.
    let (whole, second) = (ping(1, 8), ping(2, 1234));
    let (begin, end) = second.split_at(second.find("34.25").unwrap());
    let in_kubernetes = [
        cri("stdout", "F", &whole),
        cri("stdout", "P", begin),
        cri("stderr", "F", "a warning"),
        cri("stdout", "F", end),
        cri("stdout", "F", &whole),
    ];
    let in_docker = [
        docker("stdout", "\\n", &whole),
        docker("stdout", "", begin),
        docker("stderr", "\\n", "a warning"),
        docker("stdout", "\\n", end),
        docker("stdout", "\\n", &whole),
    ];
    for lines in [in_kubernetes, in_docker] {
        assert_eq!(micros(&read(&lines.concat()).1), [8_250, 1_234_250, 8_250]);
        let (_, cut) = read(&[&lines[4], &lines[0], &lines[4], &lines[1]].map(String::as_str).concat());
        assert_eq!(micros(&cut), [8_250; 3]);
        let [rejected] = &cut.account.rejections[..] else { panic!("{:?}", cut.account) };
        assert_eq!(rejected.place.line, 4);
        assert!(rejected.reason.contains("ends within a line"), "{}", rejected.reason);
    }
    // One of more than 1 MiB is no line, whatever stands where it would be cut.
    let part = cri("stdout", "P", &"x".repeat(600_000));
    let (first, last) = (cri("stdout", "F", &whole), cri("stdout", "F", end));
    let (_, decoded) = read(&[&first, &part, &part, &last, &first].map(String::as_str).concat());
    assert_eq!((micros(&decoded), decoded.account.rejected), (vec![8_250; 2], 1));
    // Without line ends each line is one.
    let stripped = [docker("stdout", "", &whole), docker("stdout", "", &whole)].concat();
    assert_eq!(micros(&read(&stripped).1), [8_250; 2]);
}

#[test]
fn a_missing_quotation_mark_costs_one_row() {
    let head = "timeStamp,elapsed,label,responseCode,responseMessage,success\n";
    let row = |n: u32| format!("170000300000{n},7,Home,200,OK,true\n");
    let broken = "1700003000009,9,Home,500,\"Non HTTP response\n";
    let several = "1700003000008,9,Home,500,\"of two\nlines, and more\",false\n";
    let text = [head, &row(1), broken, &row(2), several, &row(3)].concat();
    let (_, decoded) = read(&text);
    assert_eq!((micros(&decoded), decoded.account.rejections.len()), (vec![7_000, 7_000, 9_000, 7_000], 1));
    let (_, cut) = read(&[head, &row(1), broken].concat());
    assert_eq!((micros(&cut), cut.account.rejections.len()), (vec![7_000], 1));
}

#[test]
fn what_a_client_sends_is_no_time_of_a_request() {
    let line = |referer: &str, agent: &str| {
        format!(
            "10.0.0.9 - - [14/Nov/2023:23:03:20 +0000] \"GET /a?rt=7.777 HTTP/1.1\" 200 612 \"{referer}\" \
             \"{agent}\" rt=0.042 uct=\"0.001\" urt=\"0.040\"\n"
        )
    };
    let text = [line("-", "curl"), line("http://x/?a=1&rt=9.999", "curl"), line("-", "x rt=8.888 y")].concat();
    let (name, decoded) = read(&text);
    assert_eq!((name, micros(&decoded)), ("nginx-text", vec![42_000; 3]));
    let haproxy = |method: &str| {
        format!(
            "Nov 14 23:03:20 lb haproxy[9]: 10.0.0.9:33317 [14/Nov/2023:23:03:20.365] in shop/web1 10/0/30/2/42 \
             200 2750 - - ---- 1/1/1/1/0 0/0 \"{method} /shop/17 HTTP/1.1\"\n"
        )
    };
    let text = ["GET", "M-SEARCH", "get"].map(haproxy).concat();
    assert_eq!(micros(&read(&text).1), [42_000; 3]);
}

#[test]
fn parts_of_a_request_are_not_counted_beside_it() {
    let head = "timeStamp,elapsed,label,responseCode,threadName,success\n";
    let row = |at: u32, ms: u32, label: &str, thread: u32| {
        format!("17000030{at:05},{ms},{label},200,Users 1-{thread},true\n")
    };
    // A request of two threads at once with its redirect and two files; then two of names with numbers that
    // are requests of their own: one after the other, one of another thread.
    let text = [
        head.to_owned(),
        row(0, 30, "Home", 1),
        row(5, 40, "Home", 2),
        row(0, 10, "Home-0", 1),
        row(10, 20, "Home-1", 1),
        row(12, 5, "Home-1-0", 1),
        row(5, 9, "Home-0", 2),
        row(30, 20, "Home-2", 1),
        row(6, 7, "Home-0", 3),
    ]
    .concat();
    let (name, decoded) = read(&text);
    assert_eq!((name, micros(&decoded)), ("jmeter", vec![30_000, 40_000, 20_000, 7_000]));
    let said = format!("{:?}", decoded.account.notices);
    assert!(said.contains("4 rows are of parts of the request above"), "{said}");
}

const TRENDS: &str = "metric_name,timestamp,metric_value,method,status\n\
    http_reqs,1700003000,1.0,GET,200\nhttp_req_duration,1700003000,7.44,GET,200\n\
    my_trend,1700003000,12,,\nvus,1700003000,3,,\nmy_trend,1700003001,13.5,,\n";

fn of_series(text: &str, series: &str, unit: Option<isotherm_frame::Unit>) -> Result<Decoded, String> {
    let context = Context { series: Some(series.to_owned()), unit, ..Context::default() };
    let (decoded, result) = read_with(recognise(text.as_bytes()).unwrap(), text, &context);
    result.map(|()| decoded).map_err(|error| error.to_string())
}

/// The CSV of k6 does not say which of its numbers are times.
#[test]
fn a_metric_of_ones_own_is_read_where_it_is_known_or_said_to_be_a_time() {
    let refused = of_series(TRENDS, "my_trend", None).err().unwrap();
    assert!(refused.contains("my_trend is a time") && refused.contains("--unit ms"), "{refused}");
    let millis = Some(isotherm_frame::Unit::Millis);
    let decoded = of_series(TRENDS, "My_Trend", millis).unwrap();
    assert_eq!(micros(&decoded), [12_000, 13_500]);
    assert!(decoded.events.iter().all(|(_, series, _)| series.starts_with("my_trend")), "{:?}", decoded.events);
    // A number of users is no time, whatever the unit.
    let other = of_series(TRENDS, "vus", millis).unwrap();
    assert_eq!(micros(&other), [7_440]);
    // A part of the name may be meant for an attribute of what is usually read.
    let part = of_series(TRENDS, "get", None).unwrap();
    assert_eq!((micros(&part), &part.account.notices[..]), (vec![7_440], &[][..]));
    let declared = |name: &str, contains: &str| {
        format!(
            "{{\"type\":\"Metric\",\"data\":{{\"name\":\"{name}\",\"type\":\"trend\",\"contains\":\"{contains}\"}},\
             \"metric\":\"{name}\"}}\n{{\"metric\":\"{name}\",\"type\":\"Point\",\"data\":{{\
             \"time\":\"2023-11-14T23:03:20Z\",\"value\":12.5,\"tags\":{{}}}}}}\n"
        )
    };
    let text = [("http_req_duration", "time"), ("my_trend", "time"), ("my_size", "default")];
    let text = text.map(|(name, contains)| declared(name, contains)).concat();
    assert_eq!(micros(&of_series(&text, "my_trend", None).unwrap()), [12_500]);
    let refused = of_series(&text, "my_size", None).err().unwrap();
    assert!(refused.contains("does not declare my_size"), "{refused}");
    let (_, usual) = read(&text);
    assert!(usual.account.assumptions.iter().any(|said| said.ends_with("another: my_trend")), "{:?}", usual.account);
}

#[test]
fn durations_that_could_be_chosen_are_named_where_no_series_has_the_name() {
    for (wanted, near) in [("my_trnd", " (near: my_trend)"), ("trend", " (near: my_trend)"), ("xyz", "")] {
        let decoded = of_series(TRENDS, wanted, None).unwrap();
        let expected =
            format!("--series {wanted}{near} chooses none of the durations: http_req_duration; with --unit my_trend");
        assert_eq!(decoded.account.notices, [expected]);
    }
    let request = "2023-11-14T23:03:20Z h heroku[router]: at=info method=GET path=\"/\" connect=1ms service=7ms status=200\n";
    let decoded = of_series(request, "xyz", None).map(|read| read.account.notices);
    assert!(decoded.is_ok(), "{decoded:?}");
}

#[test]
fn a_file_may_have_lines_with_and_without_what_syslog_writes_before_them() {
    let line = |ms: u32| {
        format!(
            "{{\"level\":\"info\",\"ts\":1700003000.5,\"logger\":\"http.log.access\",\"msg\":\"handled request\",\
             \"request\":{{\"method\":\"GET\",\"uri\":\"/\"}},\"duration\":0.0{ms:02}123,\"status\":200}}\n"
        )
    };
    for (first, second) in [("", "Nov 14 23:03:20 web1 caddy[8]: "), ("Nov 14 23:03:20 web1 caddy: ", "")] {
        let before = |ms: u32| if ms.is_multiple_of(3) { second } else { first };
        let text = (10..20).flat_map(|ms| [before(ms).to_owned(), line(ms)]).collect::<String>();
        let (name, decoded) = read(&text);
        assert_eq!((name, micros(&decoded)), ("caddy", (10..20).map(|ms| ms * 1_000 + 123).collect()));
        assert_eq!(decoded.account.ignored_lines, 0);
    }
}

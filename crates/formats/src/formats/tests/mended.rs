//! What fails, what is a part of something else, and what is none of a format.

use super::*;

/// The series of each event.
fn series(decoded: &Decoded) -> Vec<&str> {
    decoded.events.iter().map(|(_, series, _)| series.as_str()).collect()
}

#[test]
fn without_success_the_code_of_jmeter_says_what_failed() {
    let rows = |head: &str, end: &str| {
        let codes = ["200", "399", "400", "503", "Non HTTP response code: java.net.ConnectException", ""];
        let rows = codes.iter().enumerate().map(|(at, code)| format!("170000300000{at},7,Home,{code}{end}\n"));
        format!("timeStamp,elapsed,label,responseCode{head}\n{}", rows.collect::<Vec<String>>().concat())
    };
    let failed = |text: &str| {
        let (name, decoded) = read(text);
        assert_eq!(name, "jmeter");
        series(&decoded).iter().map(|series| series.contains("failed")).collect::<Vec<bool>>()
    };
    assert_eq!(failed(&rows("", "")), [false, false, true, true, true, false]);
    // What JMeter says of an assertion goes before the code.
    assert_eq!(failed(&rows(",success", ",true")), [false; 6]);
    assert_eq!(failed(&rows(",success", ",false")), [true; 6]);
}

#[test]
fn a_table_with_two_times_is_none_of_jmeter() {
    let found = |head: &str| {
        let text = format!("{head}\n1700003000000,7,20\n1700003001000,9,20\n");
        recognise(text.as_bytes()).map(|format| format.definition.name.as_str())
    };
    assert_eq!(found("timeStamp,time,temp"), None);
    assert_eq!(found("timeStamp,elapsed,temp"), None);
    for known in ["label", "responseCode", "success"] {
        assert_eq!(found(&format!("timeStamp,elapsed,{known}")), Some("jmeter"));
    }
}

#[test]
fn steps_with_numbers_are_requests_where_no_column_names_the_threads() {
    let row = |at: u32, ms: u32, label: &str| format!("17000030{at:05},{ms},{label},200,true\n");
    let text = format!(
        "timeStamp,elapsed,label,responseCode,success\n{}",
        [row(0, 150, "Step"), row(10, 40, "Step-0"), row(60, 30, "Step-1"), row(300, 9, "Step-2")].concat()
    );
    let (_, decoded) = read(&text);
    assert_eq!(micros(&decoded), [150_000, 40_000, 30_000, 9_000]);
    let said = format!("{:?}", decoded.account.notices);
    assert!(said.contains("2 rows may be of parts"), "{said}");
}

#[test]
fn a_connection_of_envoy_is_no_request() {
    let request = |second: u32, status: u32| {
        format!(
            "[2023-11-14T23:03:2{second}.000Z] \"GET /a HTTP/2\" {status} - 0 154 10 9 \"-\" \"c\" \"5c3e\" \"host\" \"10.0.1.5:80\"\n"
        )
    };
    let envoy = |flags: &str| {
        format!("[2023-11-14T23:03:20.000Z] \"- - -\" 0 {flags} 1500 154 5000 - \"-\" \"-\" \"-\" \"-\" \"10.0.0.1:5432\"\n")
    };
    let istio = |flags: &str| envoy(flags).replace(" 1500 ", " - - \"-\" 1500 ");
    for connection in [&envoy as &dyn Fn(&str) -> String, &istio] {
        let text = [request(0, 200), connection("-"), request(1, 0), connection("UF,URX")].concat();
        let (name, decoded) = read(&text);
        assert_eq!((name, micros(&decoded)), ("envoy", vec![10_000; 2]));
        assert!(series(&decoded)[1].contains("failed"));
        assert_eq!(decoded.account.ignored_lines, 2);
        let decoded = read_series(&text, "connection");
        assert_eq!(micros(&decoded), [5_000_000; 2]);
        let series = series(&decoded);
        assert!(series[0].starts_with("connection{") && series[0].contains("outcome=ok"), "{series:?}");
        assert!(series[1].contains("outcome=failed"), "{series:?}");
        let (_, alone) = read(&connection("-"));
        assert!(alone.events[0].1.starts_with("connection{"), "{:?}", alone.events);
    }
    let json = |method: &str, code: u32, took: u32| {
        format!(
            "{{\"start_time\":\"2023-11-14T23:03:20Z\",\"method\":{method},\"response_code\":{code},\"response_flags\":\"-\",\"duration\":{took}}}\n"
        )
    };
    let text = [json("\"GET\"", 200, 10), json("null", 0, 5_000), json("\"GET\"", 0, 11)].concat();
    let (name, decoded) = read(&text);
    assert_eq!((name, micros(&decoded)), ("envoy-json", vec![10_000, 11_000]));
}

#[test]
fn a_pause_within_another_one_is_counted_once() {
    let line = |at: &str, number: u32, kind: &str, ms: &str| {
        format!("[{at}s][info][gc] GC({number}) Pause {kind} (Allocation Failure) 901M->317M(989M) {ms}ms\n")
    };
    let text = [
        line("1.333", 9, "Full", "61.242"),
        line("1.334", 8, "Young", "61.345"),
        line("2.000", 10, "Young", "5.000"),
        // The pause of a concurrent cycle, which began before a young one.
        line("3.000", 12, "Young", "5.000"),
        line("3.500", 11, "Remark", "7.000"),
        line("4.000", 14, "Full", "8.000"),
    ]
    .concat();
    let (name, decoded) = read(&text);
    assert_eq!((name, micros(&decoded)), ("jvm-gc", vec![61_345, 5_000, 5_000, 7_000, 8_000]));
    assert_eq!(ends(&decoded), [1_334, 2_000, 3_000, 3_500, 4_000]);
    let said = format!("{:?}", decoded.account.notices);
    assert!(said.contains("1 pause lies within"), "{said}");
    assert_eq!(decoded.account.records, 5);
}

#[test]
fn fortio_says_how_many_requests_failed() {
    let text = |rest: &str| {
        format!(
            "{{\"StartTime\":\"2026-11-21T09:27:52Z\",\"ActualDuration\":10000000000,\"DurationHistogram\":{{\"Count\":3,\
             \"Sum\":0.045,\"Data\":[{{\"Start\":0.0101,\"End\":0.014,\"Count\":2}},{{\"Start\":0.014,\"End\":0.021,\"Count\":1}}]}}{rest}}}"
        )
    };
    let all = "request{outcome=ok}";
    let failed = "request{outcome=failed}";
    for (rest, series, expected) in [
        ("", "request", None),
        (",\"RetCodes\":{\"200\":3}", all, None),
        (",\"RetCodes\":{\"200\":2,\"418\":1}", all, None),
        (",\"RetCodes\":{\"SERVING\":3}", all, None),
        (",\"RetCodes\":{\"503\":3}", failed, None),
        (",\"RetCodes\":{\"200\":1,\"503\":2}", "request", Some("2 requests failed (503: 2)")),
        (",\"ErrorsDurationHistogram\":{\"Count\":2},\"RetCodes\":{\"-1\":2,\"201\":1}", "request", Some("2 requests failed (-1: 2)")),
        (",\"ErrorsDurationHistogram\":{\"Count\":2}", "request", Some("2 requests failed:")),
        (",\"ErrorsDurationHistogram\":{\"Count\":0,\"Data\":null}", all, None),
        // A list that is not all of them, and one that cannot be.
        (",\"ErrorsDurationHistogram\":{\"Count\":2,\"Data\":[{\"Start\":0.0102,\"End\":0.014,\"Count\":1}]}", "request", Some("2 requests failed:")),
        (",\"ErrorsDurationHistogram\":{\"Count\":1,\"Data\":[{\"Start\":0.0102,\"End\":0.015,\"Count\":1}]}", "request", Some("1 request failed:")),
    ] {
        let (name, decoded) = read(&text(rest));
        assert_eq!(name, "fortio");
        let found: Vec<&str> = decoded.events.iter().map(|(_, series, _)| series.as_str()).collect();
        assert_eq!(found, [series], "{rest}");
        let said = format!("{:?}", decoded.account.notices);
        assert!(expected.map_or(said == "[]", |expected| said.contains(expected)), "{said}");
    }
}

/// The histogram of all requests holds those that failed, whose own one begins and ends with theirs.
#[test]
fn requests_that_failed_are_a_series_of_fortio_where_their_histogram_is_there() {
    let text = "{\"StartTime\":\"2026-11-21T09:27:52Z\",\"ActualDuration\":10000000000,\"RetCodes\":{\"200\":5,\"503\":2},\
                \"DurationHistogram\":{\"Count\":7,\"Sum\":0.135,\"Data\":[{\"Start\":0.0101,\"End\":0.015,\"Count\":4},\
                {\"Start\":0.02,\"End\":0.025,\"Count\":2},{\"Start\":0.04,\"End\":0.041,\"Count\":1}]},\
                \"ErrorsDurationHistogram\":{\"Count\":2,\"Sum\":0.063,\"Data\":[{\"Start\":0.022,\"End\":0.025,\"Count\":1},\
                {\"Start\":0.04,\"End\":0.041,\"Count\":1}]}}";
    let format = recognise(text.as_bytes()).unwrap();
    let sums = |by: &[&str]| {
        let by = by.iter().map(|name| (*name).to_owned()).collect();
        let (decoded, result) = read_with(format, text, &Context { by, ..Context::default() });
        result.unwrap();
        let sums = decoded.events.iter().map(|(_, series, sum)| format!("{series} {}", sum.as_nanos() / 1_000));
        (sums.collect::<Vec<String>>(), decoded.account)
    };
    let (apart, account) = sums(&[]);
    assert_eq!(apart, ["request{outcome=ok} 72000", "request{outcome=failed} 63000"]);
    assert!(account.notices.is_empty() && account.assumptions.iter().any(|said| said == "2 requests failed (503: 2)"), "{account:?}");
    assert_eq!(sums(&["outcome"]).0, apart);
    let (together, account) = sums(&["status"]);
    assert_eq!(together, ["request 135000"]);
    assert!(account.lacks("status"), "{account:?}");
}

#[test]
fn results_without_latencies_are_refused_with_advice() {
    for (text, name, advice) in [
        ("{\"url\":\"x\",\"connections\":10,\"latency\":{\"average\":1.2,\"p99\":8},\"requests\":{}}", "autocannon", "oha --output-format csv"),
        ("Method,Name,Error,Occurrences\nGET,/,HTTPError(500),12\n", "locust-failures", "events.request listener"),
        ("Count,Message,Traceback,Nodes\n1,x,y,z\n", "locust-exceptions", "events.request listener"),
        ("2025-06-01 10:00:00 10.0.0.4 GET /x - 443 - 10.0.0.1 Moz+1 - 200 0 0 10\n", "iis-rows", "#Fields:"),
        ("2025-06-01 10:00:00 W3SVC1 web1 10.0.0.4 POST /x a=1 80 - 10.0.0.1 HTTP/1.1 Moz+1 - - host 500 0 64 612 115 10\n", "iis-rows", "#Fields:"),
    ] {
        let format = recognise(text.as_bytes()).unwrap();
        assert_eq!(format.definition.name, name);
        let (_, result) = read_with(format, text, &Context::default());
        let error = result.unwrap_err().to_string();
        assert!(error.contains(advice), "{error}");
    }
}

//! Access logs of Apache and nginx that say nothing of the number at their end.

use super::*;

/// A line with what may stand behind `"GET /a HTTP/1.1" 200 2326`.
fn line(status: u32, rest: &str) -> String {
    format!("10.0.0.9 - frank [14/Nov/2023:23:03:20 +0000] \"GET /a HTTP/1.1\" {status} 2326{rest}\n")
}

const COMBINED: &str = " \"http://r/\" \"Mozilla/5.0 (X; \\\"q\\\")\"";

/// What is read with a unit, or why nothing is.
fn read_in(text: &str, unit: Option<isotherm_frame::Unit>) -> Result<Decoded, String> {
    let format = recognise(text.as_bytes()).unwrap_or_else(|| panic!("not recognised: {text}"));
    let (decoded, result) = read_with(format, text, &Context { unit, ..Context::default() });
    result.map(|()| decoded).map_err(|error| error.to_string())
}

#[test]
fn a_whole_number_at_the_end_or_in_front_is_of_apache_and_its_unit_is_asked_for() {
    let front = |status| format!("42118 {}", line(status, ""));
    for (name, lines) in [
        ("apache", [line(200, " 42118"), line(503, " 42118")]),
        ("apache", [line(200, " \"42118\""), line(503, " \"42118\"")]),
        ("apache", [line(200, &format!("{COMBINED} 42118")), line(503, &format!("{COMBINED} 42118"))]),
        ("apache", [line(200, &format!("{COMBINED} \"42118\"")), line(503, &format!("{COMBINED} \"42118\""))]),
        ("apache", [front(200), front(503)]),
        ("apache-both-unit", [line(200, " 0 42118"), line(503, " 0 42118")]),
        ("apache-both-unit", [line(200, &format!("{COMBINED} 0 42118")), line(503, &format!("{COMBINED} 0 42118"))]),
    ] {
        let text = lines.concat();
        let found = recognise(text.as_bytes()).map(|format| format.definition.name.as_str());
        assert_eq!(found, Some(name), "{text}");
        let why = read_in(&text, None).err().unwrap_or_else(|| panic!("read: {text}"));
        assert!(why.contains("%D") && why.contains("%T") && why.contains("--unit us"), "{why}");
        let decoded = read_in(&text, Some(isotherm_frame::Unit::Micros)).unwrap();
        assert_eq!(micros(&decoded), [42_118; 2], "{text}");
        let series: Vec<&str> = decoded.events.iter().map(|(_, series, _)| series.as_str()).collect();
        let expected = ["request{method=GET,outcome=ok,status=200}", "request{method=GET,outcome=failed,status=503}"];
        assert_eq!(series, expected, "{text}");
    }
}

#[test]
fn the_unit_holds_for_the_whole_file_and_most_numbers_say_which_it_hardly_is() {
    let of = |numbers: &[u64]| numbers.iter().map(|number| line(200, &format!(" {number}"))).collect::<String>();
    // The first lines look like seconds, all later ones like microseconds, and there are more of those.
    let text = of(&[0, 1, 2]) + &of(&[42_118; 200]) + &of(&[3, 900_000]);
    let why = read_in(&text, None).err().unwrap();
    assert!(why.ends_with(". Of its first 205 numbers, 201 are above 1,000: hardly seconds"), "{why}");
    let of_seconds = of(&[0, 0, 0, 1, 2]);
    let why = read_in(&of_seconds, None).err().unwrap();
    assert!(why.ends_with(". Of its first 5 numbers, 3 are 0: hardly microseconds"), "{why}");
    let why = read_in(&of(&[3, 700, 12_000]), None).err().unwrap();
    assert!(!why.contains("hardly"), "{why}");
    for (unit, us) in [(isotherm_frame::Unit::Micros, 1), (isotherm_frame::Unit::Millis, 1_000)] {
        let decoded = read_in(&text, Some(unit)).unwrap();
        let (read, rejected) = (micros(&decoded), decoded.account.rejected);
        assert_eq!((read.len(), rejected), (205, 0));
        // 0 + 1 + 2 + 200 times 42,118 + 3 + 900,000
        assert_eq!(read.iter().sum::<u64>(), 9_323_606 * us);
        let said = decoded.account.assumptions.iter().filter(|said| said.contains("--unit"));
        let said: Vec<String> = said.map(ToString::to_string).collect();
        assert_eq!(said, [format!("all of its latencies are in {unit}, as --unit says")]);
        assert_eq!(decoded.account.notices, Vec::<String>::new());
    }
}

#[test]
fn where_both_units_stand_and_agree_nothing_is_asked() {
    for text in [
        line(200, "  0/42118").replace("  ", " ") + &line(200, " 0/733"),
        line(200, &format!("{COMBINED} 0/42118")) + &line(200, &format!("{COMBINED} 0/733")),
        line(200, &format!("{COMBINED} 0 42118")) + &line(200, &format!("{COMBINED} 1 1250733")),
        line(200, " \"0/42118\"") + &line(200, " \"1/1250733\""),
    ] {
        let decoded = read_in(&text, None).unwrap();
        assert_eq!(micros(&decoded)[0], 42_118, "{text}");
        assert!([733, 1_250_733].contains(&micros(&decoded)[1]), "{text}");
    }
    // Bytes in and out, a process and %D: none of them is the seconds of the other.
    for text in [line(200, " 500 3000"), line(200, &format!("{COMBINED} 3000 9888")), line(200, " 500/3000")] {
        assert!(recognise(text.as_bytes()).is_none(), "{text}");
        assert_eq!(super::super::advice(text.as_bytes()), None, "{text}");
    }
    let late = line(200, " 0/42118").repeat(100) + &line(200, " 7/42118") + &line(200, " 0/999999") + &line(200, " 1/999999");
    let decoded = read_in(&late, None).unwrap();
    assert_eq!((decoded.events.len(), decoded.account.rejected), (102, 1));
    let reason = decoded.account.rejections[0].to_string();
    assert!(reason.contains("its whole seconds, '7', are not those of 42.1ms"), "{reason}");
}

#[test]
fn seconds_with_three_decimals_at_the_end_are_of_nginx() {
    for rest in [" 0.042", " \"0.042\"", " 300 0.042", " \"-\" 0.042"] {
        let rest = format!("{COMBINED}{rest}");
        let text = line(200, &rest) + &line(502, &rest);
        assert_eq!(recognise(text.as_bytes()).map(|format| &*format.definition.name), Some("nginx-combined"), "{rest}");
        let decoded = read_in(&text, None).unwrap();
        assert_eq!(micros(&decoded), [42_000; 2]);
        assert!(decoded.events[1].1.contains("method=GET,outcome=failed,status=502"), "{:?}", decoded.events);
        // It is stamped when it was written.
        assert_eq!(ends(&decoded), [1_700_003_000_000; 2]);
        let said = format!("{:?}", decoded.account.assumptions);
        assert!(said.contains("$request_time in seconds"), "{said}");
    }
    // The ratio of gzip, a moment ($msec), microseconds as a fraction, two durations.
    for rest in [" 1.28", " \"1.57\"", " 1700003000.365", " 0.042118", " 0.047 0.043"] {
        let text = line(200, &format!("{COMBINED}{rest}"));
        assert!(recognise(text.as_bytes()).is_none(), "{rest}");
    }
}

#[test]
fn a_time_with_its_unit_is_read_without_a_question() {
    let front = format!("3701us {}", line(200, ""));
    for (text, us) in [
        (line(200, " 3701us"), 3_701),
        (line(200, &format!("{COMBINED} 3701us")), 3_701),
        (line(200, &format!("{COMBINED} \"3.701ms\"")), 3_701),
        (line(200, " 3 ms"), 3_000),
        (line(200, " 2s"), 2_000_000),
        (front, 3_701),
    ] {
        let decoded = read_in(&text, None).unwrap();
        assert_eq!(micros(&decoded), [us], "{text}");
        // It is stamped when it was received.
        assert_eq!(ends(&decoded), [1_700_003_000_000 + i64::try_from(us / 1_000).unwrap()], "{text}");
    }
}

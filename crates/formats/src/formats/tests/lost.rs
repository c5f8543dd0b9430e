//! Packets that were lost, and several runs in one file.

use super::*;

/// What is read of a text that is known to be of a format, and why that failed.
fn read_as(name: &str, text: &str) -> (Decoded, Option<String>) {
    let format = all().find(|format| format.definition.name == name).unwrap();
    let (decoded, result) = read_with(format, text, &Context::default());
    (decoded, result.err().map(|error| error.to_string()))
}

const HEAD: &str = "PING 192.0.2.8 (192.0.2.8) 56(84) bytes of data.\n";

fn answer(number: u32) -> String {
    format!("64 bytes from 192.0.2.8: icmp_seq={number} ttl=57 time=10.0 ms\n")
}

fn answers(numbers: &[u32]) -> String {
    numbers.iter().map(|number| answer(*number)).collect()
}

fn totals(sent: u32, received: u32) -> String {
    format!("\n--- 192.0.2.8 ping statistics ---\n{sent} packets transmitted, {received} received, 36.5% packet loss, time 9014ms\n\n")
}

/// Of `text`: seconds at which answers came, and packets lost.
fn seconds_and_lost(text: &str) -> (Vec<i64>, u64) {
    let (decoded, error) = read_as("ping", text);
    assert_eq!(error, None, "{text}");
    (ends(&decoded).iter().map(|at| at / 1_000).collect(), decoded.account.lost)
}

#[test]
fn the_totals_at_the_end_say_what_was_lost_behind_the_last_answer() {
    for (end, lost) in [
        (totals(100, 2), 98),
        ("100 packets transmitted, 2 packets received, +1 duplicates, 98.0% packet loss\n".to_owned(), 98),
        ("100 paquets transmis, 2 reçus, +3 erreurs, 98 % packet loss, time 9ms\n".to_owned(), 98),
        // Killed: only gaps are known.
        (String::new(), 1),
    ] {
        let late = "64 bytes from 192.0.2.8: icmp_seq=3 ttl=57 time=900 ms (DUP!)\nno answer yet for icmp_seq=2\n";
        let text = [HEAD, &answers(&[1]), late, &answers(&[3]), &end].concat();
        assert_eq!(seconds_and_lost(&text), (vec![1, 3], lost), "{end}");
    }
    let text = [HEAD, &answers(&[1, 2]), "From 192.0.2.1 icmp_seq=3 Destination Host Unreachable\n", &totals(4, 2)].concat();
    assert_eq!(seconds_and_lost(&text), (vec![1, 2], 2));
}

#[test]
fn each_run_of_a_file_follows_the_one_before() {
    let run = [HEAD, &answers(&[1, 2, 4]), &totals(5, 3)].concat();
    let other = [HEAD, &answers(&[1, 2, 3, 4, 5]), &totals(5, 5)].concat();
    let text = [run.as_str(), &other, &run].concat();
    let seconds = vec![1, 2, 4, 6, 7, 8, 9, 10, 11, 12, 14];
    assert_eq!(seconds_and_lost(&text), (seconds.clone(), 4));
    let (decoded, _) = read_as("ping", &text);
    let said = format!("{:?}", decoded.account.assumptions);
    assert!(said.contains("3 runs without dates"), "{said}");
    // Without its head, and one that ends without totals, whose last packet is not known.
    assert_eq!(seconds_and_lost(&text.replace(HEAD, "")), (seconds, 4));
    let killed = [HEAD, &answers(&[1, 2, 4]), HEAD, &answers(&[1, 3])].concat();
    assert_eq!(seconds_and_lost(&killed), (vec![1, 2, 4, 5, 7], 2));
    // One of which nothing came back takes its time, too.
    let text = [HEAD, &answers(&[1]), &totals(1, 1), HEAD, &totals(5, 0), HEAD, &answers(&[1]), &totals(1, 1)].concat();
    assert_eq!(seconds_and_lost(&text), (vec![1, 7], 5));
    // From 0, as busybox and macOS count.
    let run = "PING 192.0.2.8 (192.0.2.8): 56 data bytes\n64 bytes from 192.0.2.8: seq=0 ttl=57 time=9.5 ms\n\
               64 bytes from 192.0.2.8: seq=1 ttl=57 time=9.5 ms\n\n--- 192.0.2.8 ping statistics ---\n\
               3 packets transmitted, 2 packets received, 33% packet loss\n";
    assert_eq!(seconds_and_lost(&run.repeat(2)), (vec![0, 1, 3, 4], 2));
    // With dates nothing is assumed.
    let dated = |second: u32| format!("{HEAD}[17000030{second}.5] {}{}", answer(1), totals(2, 1));
    let (decoded, _) = read_as("ping", &[dated(10), dated(70)].concat());
    assert_eq!((ends(&decoded), decoded.account.lost), (vec![1_700_003_010_500, 1_700_003_070_500], 2));
    assert!(!format!("{:?}", decoded.account.assumptions).contains("2 runs"));
}

#[test]
fn packets_before_the_first_answer_are_lost() {
    let unreachable = |number: u32| format!("From 192.0.2.1 icmp_seq={number} Destination Host Unreachable\n");
    let boots: String = (1..=300).map(unreachable).collect();
    let text = [HEAD, &boots, &answers(&[301, 302])].concat();
    assert_eq!(seconds_and_lost(&text), (vec![301, 302], 300));
    // Without a line for each.
    assert_eq!(seconds_and_lost(&[HEAD, &answers(&[71, 72])].concat()), (vec![71, 72], 70));
    // The end of a file that was cut has no beginning.
    assert_eq!(seconds_and_lost(&answers(&[5_000, 5_002])), (vec![5_000, 5_002], 1));
    let windows = "Request timed out.\r\n".repeat(300) + "Reply from 192.0.2.8: bytes=32 time=10ms TTL=57\r\n";
    assert_eq!(read_as("ping-windows", &windows).0.account.lost, 300);
    let timed_out = |n: u32| format!("192.0.2.8 : [{n}], timed out (NaN avg, 100% loss)\n");
    let fping: String = (0..300).map(timed_out).collect();
    let fping = fping + "192.0.2.8 : [300], 64 bytes, 4.21 ms (4.21 avg, 99% loss)\n";
    assert_eq!(read_as("fping", &fping).0.account.lost, 300);
}

#[test]
fn numbers_of_16_bits_begin_anew_and_come_late() {
    let text = answers(&[65_534, 0, 65_535, 2]);
    let (decoded, _) = read_as("ping", &text);
    assert_eq!(ends(&decoded), [65_534_000, 65_536_000, 65_535_000, 65_538_000]);
    assert_eq!(decoded.account.lost, 1);
}

#[test]
fn a_file_of_lost_packets_says_so() {
    let windows = "\nPinging 192.0.2.9 with 32 bytes of data:\nRequest timed out.\nRequest timed out.\n\n\
        Ping statistics for 192.0.2.9:\n    Packets: Sent = 2, Received = 0, Lost = 2 (100% loss),\n";
    let unreachable = "From 192.0.2.1 icmp_seq=1 Destination Host Unreachable\n";
    let one = [HEAD, unreachable, &totals(1, 0)].concat();
    for (format, text, said) in [
        ("ping", [HEAD, &totals(10, 0)].concat().as_str(), "all 10 packets were lost"),
        ("ping", &one, "its one packet was lost"),
        ("ping-windows", windows, "all 2 packets were lost"),
        ("fping", "192.0.2.9 : [0], timed out (NaN avg, 100% loss)\n192.0.2.9 : [1], timed out (NaN avg, 100% loss)\n", "all 2 packets were lost"),
        ("mtr", "x 0 33000\nx 1 33001\n", "all 2 packets were lost"),
        ("hping3", "HPING 192.0.2.9 (eth0 192.0.2.9): S set\n3 packets transmitted, 0 packets received, 100% packet loss\n", "all 3 packets were lost"),
    ] {
        let (decoded, error) = read_as(format, text);
        assert!(decoded.events.is_empty());
        let error = error.unwrap_or_default();
        assert!(error.contains("without an answer") && error.contains(said), "{format}: {error}");
    }
}

#[test]
fn errors_of_windows_are_lost_packets() {
    let answer = "Reply from 192.0.2.8: bytes=32 time=10ms TTL=57\r\n";
    for error in [
        "Reply from 192.0.2.1: TTL expired in transit.\r\n",
        "Antwort von 192.0.2.1: Die G\u{fc}ltigkeitsdauer wurde bei der \u{dc}bertragung \u{fc}berschritten.\r\n",
        "PING: transmit failed. General failure. \r\n",
        "General failure.\r\n",
    ] {
        let (decoded, _) = read_as("ping-windows", &[answer, error, answer].concat());
        assert_eq!((ends(&decoded), decoded.account.lost), (vec![1_000, 3_000], 1), "{error}");
    }
    // Of a language whose words are not known, the totals tell it.
    let polish = "\r\nStatystyka badania ping dla 192.0.2.8:\r\n    Pakiety: Wys\u{142}ane = 4, Odebrane = 1, Utracone = 3\r\n             (75% straty),\r\n\
                  Szacunkowy czas:\r\n    Minimum = 10 ms, Maksimum = 10 ms, Czas = 10 ms\r\n";
    let (decoded, _) = read_as("ping-windows", &[answer, "Nieznany problem.\r\n", polish].concat());
    assert_eq!(decoded.account.lost, 3);
    // An unreachable host counts as an answer in them.
    let totals = "    Packets: Sent = 2, Received = 2, Lost = 0 (0% loss),\r\n    Minimum = 10ms, Maximum = 10ms, Average = 10ms\r\n";
    let unreachable = "Reply from 192.0.2.1: Destination host unreachable.\r\n";
    let (decoded, _) = read_as("ping-windows", &[answer, unreachable, totals].concat());
    assert_eq!((decoded.events.len(), decoded.account.lost), (1, 1));
}

#[test]
fn what_mtr_sent_and_nobody_answered_is_lost() {
    let text = "x 0 33000\nh 0 10.0.0.1\np 0 512 33000\nx 0 33001\nx 0 33002\np 0 500 33002\nx 0 33003\n";
    let (decoded, _) = read_as("mtr", text);
    assert_eq!((micros(&decoded), decoded.account.lost), (vec![512, 500], 2));
    // Numbers begin anew at 33,000; an answer may come behind that.
    let text = "x 0 65535\nx 0 33000\np 0 9 33000\np 0 7 65535\n";
    assert_eq!(read_as("mtr", text).0.account.lost, 0);
    // Before 0.86 nothing says what was sent.
    assert_eq!(read_as("mtr", "h 0 10.0.0.1\np 0 512\np 0 500\n").0.account.lost, 0);
}

#[test]
fn what_hping3_calls_a_duplicate_is_no_answer_of_its_own() {
    let head = "HPING 192.0.2.8 (eth0 192.0.2.8): S set, 40 headers + 0 data bytes\n";
    let line = |n: u32, ms: u32| {
        format!("len=46 ip=192.0.2.8 ttl=57 DF id=0 sport=80 flags=SA seq={n} win=65535 rtt={ms}.5 ms\n")
    };
    let verbose = |n: u32, ms: u32| {
        format!("len=46 ip=192.0.2.8 ttl=57 DF id=0 tos=0 iplen=44\nsport=80 flags=SA seq={n} win=65535 rtt={ms}.5 ms\n")
    };
    let end = "\n--- 192.0.2.8 hping statistic ---\n5 packets transmitted, 3 packets received, 40% packet loss\n";
    for line in [line as fn(u32, u32) -> String, verbose] {
        let again = format!("DUP! {}", line(1, 900));
        let text = [head, &line(0, 4), &line(1, 9), &again, end].concat();
        let (decoded, _) = read_as("hping3", &text);
        assert_eq!((micros(&decoded), decoded.account.lost), (vec![4_500, 9_500], 3), "{text}");
    }
}

#[test]
fn fping_is_read_with_dates_of_any_form_and_with_an_interval_where_there_are_none() {
    let text = |dates: [&str; 3]| {
        let [first, second, third] = dates;
        format!(
            "{first}192.0.2.8 : [0], 64 bytes, 4.21 ms (4.21 avg, 0% loss)\n\
             {second}192.0.2.8 : [1], timed out (4.21 avg, 50% loss)\n\
             {third}192.0.2.8 : [2], 64 bytes, 9.03 ms (6.62 avg, 33% loss)\n"
        )
    };
    for dates in [
        ["[1795253272.000] ", "[1795253273.000] ", "[1795253274.000] "],
        ["[2026-11-21T09:27:52+0000] ", "[2026-11-21T09:27:53+0000] ", "[2026-11-21T09:27:54+0000] "],
        ["[2026-11-21 09:27:52] ", "[2026-11-21 09:27:53] ", "[2026-11-21 09:27:54] "],
        ["[Sat Nov 21 09:27:52 2026] ", "[Sat Nov 21 09:27:53 2026] ", "[Sat Nov 21 09:27:54 2026] "],
    ] {
        let (decoded, _) = read_as("fping", &text(dates));
        assert_eq!((micros(&decoded), decoded.account.lost), (vec![4_210, 9_030], 1), "{dates:?}");
        assert_eq!(ends(&decoded), [1_795_253_272_000, 1_795_253_274_000], "{dates:?}");
    }
    let undated = text([""; 3]);
    let format = recognise(undated.as_bytes()).unwrap();
    for (interval, expected) in [(None, 2_000), (Some(Nanos::from_millis(250)), 500)] {
        let (decoded, result) = read_with(format, &undated, &Context { interval, ..Context::default() });
        result.unwrap();
        assert_eq!((micros(&decoded), decoded.account.lost), (vec![4_210, 9_030], 1));
        let ends = ends(&decoded);
        assert_eq!(ends[1] - ends[0], expected);
        let said = format!("{:?}", decoded.account.assumptions);
        assert!(said.contains("(-D)") && said.contains("--interval"), "{said}");
    }
}

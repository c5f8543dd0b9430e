//! Formats whose own lines come late: behind lines of something else, or in rows that are longer than what is
//! looked at.

use super::*;
use crate::formats::recognition::comes_late;

/// What the text is recognised as by as much of it as decoders see, and what is read of it.
fn read(text: &str) -> (&'static str, Decoded) {
    let head = &text.as_bytes()[..text.len().min(crate::HEAD)];
    let format = recognise(head).unwrap_or_else(|| panic!("not recognised: {}", &text[..300.min(text.len())]));
    let (decoded, result) = read_with(format, text, &Context::default());
    result.unwrap();
    (&format.definition.name, decoded)
}

/// As many lines as there are numbers.
fn lines(numbers: std::ops::Range<u32>, line: impl Fn(u32) -> String) -> String {
    numbers.map(|number| line(number) + "\n").collect()
}

/// So many seconds after ten.
fn time_of_day(second: u32) -> String {
    format!("{:02}:{:02}:{:02}", 10 + second / 3_600, second / 60 % 60, second % 60)
}

#[test]
fn requests_of_rails_are_read_behind_its_other_lines() {
    let begin = |at: u32| format!("I, [2026-11-21T{}.000000 #7]  INFO -- : [ab{at}]", time_of_day(at));
    let job = |at| format!("{} Performed Sync::Job (Job ID: 1234) from Sidekiq(default) in 33.1ms", begin(at));
    let done = |at, ms| format!("{} Completed 200 OK in {ms}ms (Views: 1.2ms | ActiveRecord: 2.5ms)\n", begin(at));
    let requests = done(400, 10) + &done(401, 12) + &done(402, 9);
    let (name, decoded) = read(&(lines(0..300, job) + &requests));
    assert_eq!((name, micros(&decoded)), ("rails", vec![10_000, 12_000, 9_000]));
    let sql = |at| format!("D, [2026-11-21T10:00:00.000000 #7] DEBUG -- : [ab]   User Load (0.{at}ms)  SELECT \"users\".*");
    let (name, decoded) = read(&(lines(0..100, sql) + &requests));
    assert_eq!((name, micros(&decoded)), ("rails", vec![10_000, 12_000, 9_000]));
    let request = |number: u32| {
        let sql = |id| format!("  User Load (0.3ms)  SELECT \"users\".* WHERE \"users\".\"id\" = $1  [[\"id\", {id}]]");
        format!(
            "Started GET \"/a\" for 127.0.0.1 at 2026-11-21 10:00:0{number} +0000\nProcessing by A#b as HTML\n{}\
             Completed 200 OK in {}ms (Views: 30.1ms | ActiveRecord: 30.0ms)\n\n",
            lines(0..100, sql),
            60 + number
        )
    };
    let text = request(1) + &request(2);
    let (name, decoded) = read(&text);
    assert_eq!((name, micros(&decoded)), ("rails-development", vec![61_000, 62_000]));
    // Within the files of Docker, too.
    let docker = |line: &str| {
        let line = serde_json::Value::from(format!("{line}\n"));
        format!("{{\"log\":{line},\"stream\":\"stdout\",\"time\":\"2026-11-21T10:00:00Z\"}}\n")
    };
    let (name, decoded) = read(&text.lines().map(docker).collect::<String>());
    assert_eq!((name, micros(&decoded)), ("rails-development", vec![61_000, 62_000]));
}

#[test]
fn users_that_begin_at_once_and_safepoints_may_come_first() {
    let users = |at| format!("USER\tBuyers\tSTART\t17952532720{at:02}");
    let text = format!(
        "RUN\tshop.Checkout\tcheckout\t1795253272000\t \t3.9.5\n{}\
         REQUEST\t\tHome\t1795253272365\t1795253272407\tOK\t \nREQUEST\t\tCart\t1795253272400\t1795253272410\tKO\tno\n",
        lines(0..70, users)
    );
    let (name, decoded) = read(&text);
    assert_eq!((name, micros(&decoded)), ("gatling", vec![42_000, 10_000]));
    // As many users as there may be: the first line tells.
    let text = text.replacen("USER\tBuyers", &lines(0..9_000, users).replacen("USER\tBuyers", "", 1), 1);
    assert!(text.len() > 4 * crate::HEAD);
    assert_eq!(read(&text).0, "gatling");
    let safepoint = |at: u32| {
        format!(
            "[2026-11-21T{}.000+0000][1234][safepoint] Safepoint \"Cleanup\", Time since last: 1000200304 ns, \
             Reaching safepoint: 104000 ns, At safepoint: 9000 ns, Total: 113000 ns",
            time_of_day(at)
        )
    };
    let pause = "[2026-11-21T10:05:00.000+0000][1234][gc] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 24M->4M(256M) 4.211ms\n";
    let (name, decoded) = read(&(lines(0..100, safepoint) + pause));
    assert_eq!((name, micros(&decoded)), ("jvm-gc", vec![4_211]));
}

#[test]
fn access_logs_are_read_behind_the_lines_of_other_programs() {
    let of_app = |at| format!("2026-11-21T{}.123456+00:00 app[web.1]: order {at} of somebody was taken", time_of_day(at));
    let router = "2026-11-21T10:09:52.365000+00:00 heroku[router]: at=info method=GET path=\"/a\" host=shop.example \
                  request_id=5c3e fwd=\"10.0.0.9\" dyno=web.1 connect=1ms service=42ms status=200 bytes=612 protocol=https\n";
    let (name, decoded) = read(&(lines(0..150, of_app) + router));
    assert_eq!((name, micros(&decoded)), ("heroku", vec![42_000]));
    let pilot = |at: u32| format!("2026-11-21T{}.000Z\tinfo\tistio-proxy\tsome text of the pilot agent {at}", time_of_day(at));
    let envoy = "[2026-11-21T10:09:52.365Z] \"GET /a HTTP/1.1\" 200 - 0 154 42 41 \"-\" \"curl/8.5\" \"5c3e\" \"shop\" \"10.0.1.5:80\"\n";
    let (name, decoded) = read(&(lines(0..150, pilot) + envoy));
    assert_eq!((name, micros(&decoded)), ("envoy", vec![42_000]));
    let tls = |at: u32| {
        format!("{{\"level\":\"info\",\"ts\":{}.1,\"logger\":\"tls\",\"msg\":\"renewing\",\"identifier\":\"x{at}\"}}", 1_795_253_000 + at)
    };
    let caddy = "{\"level\":\"info\",\"ts\":1795253272.365,\"logger\":\"http.log.access.log0\",\"msg\":\"handled request\",\
                 \"request\":{\"method\":\"GET\",\"host\":\"shop.example\",\"uri\":\"/\"},\"duration\":0.042118,\"status\":200}\n";
    let (name, decoded) = read(&(lines(0..150, tls) + caddy));
    assert_eq!((name, micros(&decoded)), ("caddy", vec![42_118]));
}

#[test]
fn ping_is_known_by_its_first_line_while_a_host_boots() {
    for (name, first, lost, reply) in [
        (
            "ping",
            "PING 192.0.2.8 (192.0.2.8) 56(84) bytes of data.\n",
            "From 192.0.2.1 icmp_seq={} Destination Host Unreachable",
            "64 bytes from 192.0.2.8: icmp_seq=301 ttl=57 time=4.00 ms\n",
        ),
        (
            "ping",
            "$ ping host\nPING host (192.0.2.8): 56 data bytes\n",
            "Request timeout for icmp_seq {}",
            "64 bytes from 192.0.2.8: icmp_seq=301 ttl=57 time=4.000 ms\n",
        ),
        (
            "ping-windows",
            "\nPinging 192.0.2.8 with 32 bytes of data:\n",
            "Request timed out.",
            "Reply from 192.0.2.8: bytes=32 time=4ms TTL=57\n",
        ),
        (
            "ping-windows",
            "Ping wird ausgeführt für 192.0.2.8 mit 32 Bytes Daten:\n",
            "Zeitüberschreitung der Anforderung.",
            "Antwort von 192.0.2.8: Bytes=32 Zeit=4ms TTL=57\n",
        ),
        (
            "fping",
            "",
            "[1795253272.25000] 192.0.2.8 : [{}], timed out (NaN avg, 100% loss)",
            "[1795253572.25000] 192.0.2.8 : [301], 64 bytes, 4.00 ms (4.00 avg, 99% loss)\n",
        ),
    ] {
        let text = first.to_owned() + &lines(1..301, |number| lost.replace("{}", &number.to_string())) + reply;
        let (found, decoded) = read(&text);
        assert_eq!((found, micros(&decoded)), (name, vec![4_000]), "{first}");
        // All of them may be lost.
        let none_came = recognise(text.replace(reply, "").as_bytes());
        assert_eq!(none_came.is_some(), !first.is_empty(), "{first}");
    }
}

#[test]
fn rows_may_be_longer_than_what_is_looked_at() {
    let body = |length: usize| "aGVsbG8+".repeat(length / 8);
    for length in [200, 13_000, 18_000, 30_000, 50_000, 100_000, 300_000] {
        let row = |at: u32| format!("179525327{at}365000000,200,42118000,0,612,,{},,{at},GET,http://shop.example/,\n", body(length));
        let (name, decoded) = read(&(row(1) + &row(2)));
        assert_eq!((name, micros(&decoded)), ("vegeta-csv", vec![42_118; 2]), "{length}");
        let row = |at: u32| {
            let (rest, body) = ("\"method\":\"GET\",\"url\":\"http://shop.example/\",\"headers\":{}", body(length));
            format!(
                "{{\"attack\":\"\",\"seq\":{at},\"code\":200,\"timestamp\":\"2026-11-21T09:27:5{at}.365Z\",\
                 \"latency\":42118000,\"bytes_out\":0,\"bytes_in\":612,\"error\":\"\",\"body\":\"{body}\",{rest}}}\n"
            )
        };
        let (name, decoded) = read(&(row(1) + &row(2)));
        assert_eq!((name, micros(&decoded)), ("vegeta-json", vec![42_118; 2]), "{length}");
    }
    // The earlier form has no columns behind the number.
    let row = |at: u32| format!("179525327{at}365000000,200,42118000,0,612,,{},,{at}\n", body(20_000));
    let (name, decoded) = read(&(row(1) + &row(2) + &row(3)));
    assert_eq!((name, micros(&decoded)), ("vegeta-csv-short", vec![42_118; 3]));
}

/// The first line of `ping --apple-time` has no time in front.
#[test]
fn what_is_around_lines_is_found_where_they_come_late() {
    let lost = |number: u32| format!("{}.123456 Request timeout for icmp_seq {number}", time_of_day(number));
    let reply = "10:05:00.123456 64 bytes from 192.0.2.8: icmp_seq=301 ttl=57 time=4.000 ms\n";
    let (name, decoded) = read(&("PING host (192.0.2.8): 56 data bytes\n".to_owned() + &lines(1..301, lost) + reply));
    assert_eq!((name, micros(&decoded)), ("ping", vec![4_000]));
}

/// Deep in a text only lines that are fixed at their beginning and hold a time tell.
#[test]
fn a_line_far_in_a_text_that_another_program_could_have_written_tells_nothing() {
    let other = |at| format!("2026-11-21 {} order {at} of somebody was taken", time_of_day(at));
    for (line, is_known_in_front) in [
        ("latency : 0.12 0.34\n", true),
        ("http_req_duration..............: avg=42.1ms min=38ms med=41ms max=903ms p(90)=52ms p(95)=60ms\n", true),
        ("64 bytes from 192.0.2.8, and nothing else\n", false),
    ] {
        assert_eq!(recognise(line.as_bytes()).is_some(), is_known_in_front, "{line}");
        let late = lines(0..100, other) + line;
        assert!(recognise(late.as_bytes()).is_none(), "{line}");
    }
}

/// A stray line of a known format in a log of something else says nothing of the others.
#[test]
fn a_stray_line_makes_no_format_of_a_log() {
    let job = |at: u32| format!("2026-11-21T{}.000Z INFO worker: job {at} took 5 ms", time_of_day(at));
    let router = |at| {
        format!(
            "2026-11-21T{}.050Z heroku[router]: at=info method=GET path=\"/x\" host=h request_id=1 fwd=\"1.2.3.4\" \
             dyno=web.1 connect=1ms service=18ms status=200 bytes=1",
            time_of_day(at)
        )
    };
    let pause = |_| "[12.345s][info][gc] GC(3) Pause Young (Normal) (G1 Evacuation Pause) 24M->4M(256M) 3.218ms".to_owned();
    for stray in [&router as &dyn Fn(u32) -> String, &pause] {
        let head = lines(0..150, job) + &lines(150..151, stray) + &lines(151..600, job);
        assert!(recognise(&head.as_bytes()[..head.len().min(crate::HEAD)]).is_none());
    }
    // A good part of them are requests.
    let head = lines(0..150, job) + &lines(150..200, router);
    assert_eq!(read(&head).1.events.len(), 50);
    assert!(comes_late(head.as_bytes()) && !comes_late(lines(0..9, router).as_bytes()));
}

#[test]
fn behind_more_than_is_searched_a_format_is_read_by_its_name() {
    let diary = "a line of a diary without numbers\n".repeat(3_000);
    assert!(diary.len() > crate::HEAD);
    let requests = "timeStamp,elapsed,label,success\n1795253272365,42,Login,true\n1795253272531,903,Home,false\n";
    let pings = "64 bytes from 192.0.2.8: icmp_seq=1 ttl=64 time=4.21 ms\n64 bytes from 192.0.2.8: icmp_seq=2 ttl=64 time=9.03 ms\n";
    for (name, text, expected) in [("jmeter", requests, [42_000, 903_000]), ("ping", pings, [4_210, 9_030])] {
        let text = diary.clone() + text;
        assert!(recognise(&text.as_bytes()[..crate::HEAD]).is_none());
        let mut decoded = Decoded::default();
        let source = crate::formats::formats_named(name).unwrap();
        source.decode(&mut text.as_bytes(), &Context::default(), &mut decoded).unwrap();
        assert_eq!((micros(&decoded), decoded.account.rejected), (expected.to_vec(), 0), "{name}");
    }
}

use super::*;

fn known(text: &str) -> Option<(&'static str, String)> {
    Foreign::recognise(text.as_bytes()).map(|known| (known.name, known.advice()))
}

fn columns(text: &str) -> String {
    let known = Foreign::recognise(text.as_bytes());
    known.as_ref().and_then(Foreign::columns).unwrap_or_default().to_owned()
}

#[test]
fn tables_are_recognised_by_their_numbers_and_name_every_column() {
    let fio = "1700000000564, 329050, 0, 8192, 0\n1700000000567, 3028439, 1, 8192, 0\n";
    assert_eq!(columns(fio), "end_ms,latency_ns,direction,-,-");
    let with_priority = "5, 329050, 0, 8192, 0, 0x0\n";
    assert_eq!(columns(with_priority), "end_ms,latency_ns,direction,-,-,-");
    let pgbench = "1 1 14226 0 1700000000 387937\n0 1 skipped 0 1700000001 388980\n";
    assert_eq!(columns(pgbench), "-,-,latency_us,script,end_s,end_us");
    let lag = "1 1 14226 0 1700000000 387937 83\n0 1 19799 0 1700000000 388980 2716\n";
    assert_eq!(columns(lag), "-,-,latency_us,script,end_s,end_us,-");
    let jmeter = "timeStamp,elapsed,label,responseCode\n1700000000000,12,home,200\n";
    assert_eq!(columns(jmeter), "start_ms,latency_ms,label,-");
    let vegeta = "1700000000123456789,200,1234567,0,5,,Ym8=,a,0,GET,http://h/,\n";
    assert_eq!(columns(vegeta), "start_ns,status,latency_ns,-,-,-,-,-,-,-,-,-");
}

#[test]
fn averages_and_sums_are_not_latencies() {
    let averages = known("1000, 329050, 0, 0, 0\n2000, 328439, 0, 0, 0\n").unwrap();
    assert!(averages.1.contains("cannot be read yet; its values are averages"), "{averages:?}");
    for (text, name) in [
        ("% time     seconds  usecs/call     calls    errors syscall\n", "summary of strace"),
        (
            "4 1046379 3823 15657807 189903 261595 329311 49528 5 4004326340\n",
            "statistics of ioping",
        ),
        ("[ 1s ] thds: 2 tps: 223.00 qps: 4460.00 lat (ms,95%): 21.50 err/s: 0.00\n", "sysbench"),
        ("General statistics:\nLatency (ms):\n min: 0.39\n 95th percentile: 8.43\n", "sysbench"),
        ("Running 10s test @ http://h\n  Thread Stats   Avg\nRequests/sec: 5\n", "wrk"),
    ] {
        let (found, advice) = known(text).unwrap_or_else(|| panic!("{text}"));
        assert!(found.contains(name) && advice.starts_with("it cannot be read yet"), "{found}");
        assert!(!advice.contains("--columns"), "{advice}");
    }
}

#[test]
fn plain_columns_and_prose_are_of_no_known_format() {
    for text in [
        "",
        "hello world\n",
        "1700000000.5 250\n1700000001.5 251\n",
        "1700000000,250,3,4\n1700000001,251,1,4\n",
        "time,latency_ms,endpoint\n1700000000,2,/a\n",
        "7 8 9 10 11 12\n",
        "2026-11-21 05:15:14.312 request took 5 ms\n",
    ] {
        assert_eq!(known(text), None, "{text}");
    }
}

#[test]
fn the_name_of_a_file_of_fio_tells_what_its_values_are() {
    let head = b"5, 329050, 0, 8192, 0\n6, 3028439, 1, 8192, 0\n";
    let of = |name| Foreign::of(name, head).map(|known| known.name);
    assert_eq!(of("x_bw.1.log"), Some("a bandwidth log of fio"));
    assert_eq!(of("x_iops.1.log"), Some("an IOPS log of fio"));
    assert_eq!(of("x_lat.1.log"), Some(tables::FIO_LOG));
    assert!(Foreign::without_latencies("x_bw.1.log", head).is_some());
    assert_eq!(Foreign::without_latencies("x_lat.1.log", head), None);
}

#[test]
fn binary_results_are_known_by_name() {
    let gatling = [&[0, 0, 0, 0, 6][..], b"3.10.3", &[0, 0, 0, 0, 5], b"Basic"].concat();
    let of = |bytes: &[u8]| Foreign::recognise(bytes).map(|known| (known.name, known.advice()));
    let (name, advice) = of(&gatling).unwrap();
    assert!(name.contains("binary simulation log of Gatling"), "{name}");
    assert!(advice.contains("up to 3.9 writes text"), "{advice}");
    let vegeta =
        b"\x7f\xff\x03\x01\x01\x06Result\x01\0\x0c\x01\x06Attack\x01\x0c\0\x01\x09Timestamp\x01\0\
        \x01\x07Latency\x01\x04\0\x01\x08BytesOut\x01\x06\0";
    let (name, advice) = of(vegeta).unwrap();
    assert!(
        name.contains("vegeta") && advice.contains("vegeta encode --to csv"),
        "{name}: {advice}"
    );
    assert_eq!(of(&[0, 0, 0, 0, 6, 1, 2, 3]), None);
    assert_eq!(of(b"\x7fELF\0\0\0"), None);
}

#[test]
fn summaries_are_no_events_whatever_their_columns_are_called() {
    let status = "2026-03-01 10:00:10:000 10 sec: 52318 operations; 5231.8 current ops/sec; \
        [READ: Count=26159, Max=51231, Min=101, Avg=180.5, 90=260, 99=512]\n";
    let summary = "[OVERALL], RunTime(ms), 20010\n[OVERALL], Throughput(ops/sec), 5213.3\n\
        [READ], AverageLatency(us), 180.5\n";
    for (text, name, instead) in [
        (status, "status lines of YCSB", "measurementtype=raw"),
        (summary, "a summary of YCSB", "measurementtype=raw"),
        ("Percentage served,Time in ms\n0,5.123\n1,5.2\n", "percentiles of ab (-e)", "ab -g FILE"),
        (
            "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\H\\PhysicalDisk(0)\\Avg. Disk sec/Read\"\n\"03/01/2026\",\"1\"\n",
            "a counter log of perfmon, typeperf or esxtop (PDH-CSV)",
            "averages of intervals",
        ),
    ] {
        let known = Foreign::without_events(text.as_bytes()).unwrap();
        assert_eq!(known.name, name);
        assert!(
            known.advice().contains(instead) && !known.advice().contains("--columns"),
            "{known:?}"
        );
    }
    let raw = "READ latency raw data: op, timestamp(ms), latency(us)\nREAD,1795253272365,421\n";
    assert_eq!(Foreign::without_events(raw.as_bytes()), None);
    assert_eq!(Foreign::without_events(b"% time     seconds  usecs/call\n"), None);
}

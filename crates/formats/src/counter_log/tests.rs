use isotherm_frame::Account;

use super::*;
use crate::{Columns, Message};

#[derive(Debug, Default)]
struct Read {
    frames: Vec<Frame>,
    account: Account,
}

impl Sink for Read {
    fn take(&mut self, message: Message) {
        let Some(reading) = message.into_reading(&mut self.account) else { return };
        let Reading::Delta(frame) = reading else { panic!("intervals only") };
        self.frames.push(frame);
    }
}

fn read_as(text: &str, columns: &str) -> Result<Read, String> {
    let names = columns.split(',').map(str::to_owned).collect();
    let context = Context { columns: Some(Columns { names }), ..Context::default() };
    let mut read = Read::default();
    super::read(&mut text.as_bytes(), &context, &mut read).map_err(|error| error.to_string())?;
    Ok(read)
}

const DISKS: &str = r#""(PDH-CSV 4.0) (W. Europe Standard Time)(-60)","\\SRV1\PhysicalDisk(0 C:)\Avg. Disk sec/Read","\\SRV1\PhysicalDisk(0 C:)\Disk Reads/sec","\\SRV1\PhysicalDisk(_Total)\Avg. Disk sec/Read","\\SRV1\PhysicalDisk(_Total)\Disk Reads/sec"
"03/31/2026 10:00:00.500"," "," "," "," "
"03/31/2026 10:00:02.500","0.0004","120.000","1","1"
"03/31/2026 10:00:03.500","0.0005","110.000","1","1"
"#;

#[test]
fn a_rate_and_a_mean_are_events_and_their_time() {
    let read = read_as(DISKS, "latency_s=avg. disk sec/read,rate=Reads/sec").unwrap();
    // 08:00:00.5 UTC; 2 s at 120/s with 0.4 ms each, then 1 s at 110/s with 0.5 ms.
    let begin = 1_774_947_600_500_000_000;
    let second = 1_000_000_000;
    let found = read.frames.iter().map(|frame| {
        let sum = frame.counts.partly_known_sum().unwrap().as_nanos();
        (frame.start.as_nanos() - begin, frame.end.as_nanos() - begin, frame.counts.events(), sum)
    });
    let found: Vec<_> = found.collect();
    assert_eq!(
        found,
        [(0, 2 * second, 240, 96_000_000), (2 * second, 3 * second, 110, 55_000_000),]
    );
    let series = read.frames[0].series.to_string();
    assert!(series.contains("Avg. Disk sec/Read") && series.contains("0 C:"), "{series}");
    assert!(read.frames.iter().all(|frame| frame.counts.is_averages()));
    let said: Vec<&str> = read.account.notices.iter().map(AsRef::as_ref).collect();
    assert!(said.contains(&FIRST) && said.contains(&TOTALS), "{said:?}");
}

#[test]
fn names_in_any_language_are_near_names_and_others_are_refused_with_the_line_to_type() {
    let german = DISKS.replace("Avg. Disk sec/Read", "Mittlere Sek./Lesevorgänge");
    let german = german.replace("Disk Reads/sec", "Lesevorgänge/s").replace("\",\"", "\";\"");
    let read = read_as(&german.replace("0.0004", "0,0004"), "latency_s=Mittlere Sek,rate=gänge/s");
    assert_eq!(read.unwrap().frames[0].counts.events(), 240);
    let line = "--columns 'latency_s=Avg. Disk sec/Read,rate=Disk Reads/sec'";
    assert!(advice(DISKS.as_bytes()).unwrap().contains(line));
    assert!(advice(german.as_bytes()).unwrap().contains("latency_s=HEAD,rate=HEAD"));
    assert_eq!(advice(b"time,latency\n"), None);
    let esxtop = DISKS.replace("Avg. Disk sec/Read", "Average Guest MilliSec/Read");
    let esxtop = esxtop.replace("Disk Reads/sec", "Reads/sec");
    assert!(
        advice(esxtop.as_bytes())
            .unwrap()
            .contains("latency_ms=Average Guest MilliSec/Read,rate=Reads/sec")
    );
    for (columns, why) in [
        ("latency_s=Avg. Disk sec/Raed,rate=Reads/sec", "did you mean 'Avg. Disk sec/Read'?"),
        ("latency_s=Avg. Disk sec/Read", line),
        ("latency=Avg. Disk sec/Read,rate=Reads/sec", line),
        ("latency_s=Disk,rate=Reads/sec", "several counters are like 'Disk'"),
    ] {
        let refused = read_as(DISKS, columns).err().unwrap();
        assert!(refused.contains(why), "{columns}: {refused}");
    }
}

#[test]
fn of_objects_that_count_the_same_operations_one_is_named() {
    let both =
        DISKS.replace("(_Total)", "(C:)").replacen(r"PhysicalDisk(C:)", r"LogicalDisk(C:)", 2);
    let refused = read_as(&both, "latency_s=Avg. Disk sec/Read,rate=Disk Reads/sec").err().unwrap();
    let line = r"--columns 'latency_s=LogicalDisk\Avg. Disk sec/Read,rate=Disk Reads/sec'";
    assert!(refused.contains(line) && refused.contains("LogicalDisk, PhysicalDisk"), "{refused}");
    let events = |object: &str| {
        let columns = format!(r"latency_s={object}\Avg. Disk sec/Read,rate=Disk Reads/sec");
        let frames = read_as(&both, &columns).unwrap().frames;
        frames.iter().map(|frame| frame.counts.events()).sum::<u64>()
    };
    // 2 s at 120/s and 1 s at 110/s; 3 s at 1/s.
    assert_eq!((events("PhysicalDisk"), events("logicaldisk")), (350, 3));
}

#[test]
fn samples_that_cannot_be_read_are_rejected_with_their_line() {
    let columns = "latency_s=Avg. Disk sec/Read,rate=Reads/sec";
    for (from, to, why, frames) in [
        ("\"0.0005\"", "\" \"", "is no number for", 1),
        ("10:00:03.500", "10:00:01.500", "not after", 1),
        ("03/31/2026 10:00:03.500", "31/03/2026 10:00:03.500", "is no time", 1),
        ("\"110.000\",\"1\",\"1\"\n", "\"11", "in the middle", 1),
        ("\"110.000\",\"1\",\"1\"", "\"110.000\"", "3 columns instead of 5", 1),
        ("\"0.0005\"", "\"1e300\"", "too large", 1),
    ] {
        let read = read_as(&DISKS.replace(from, to), columns).unwrap();
        let reasons: Vec<_> =
            read.account.rejections.iter().map(|one| one.reason.to_string()).collect();
        assert!(reasons.len() == 1 && reasons[0].contains(why), "{to}: {reasons:?}");
        assert_eq!(read.account.rejections[0].place.line, 4);
        assert_eq!(read.frames.len(), frames, "{to}");
    }
}

#[test]
fn a_counter_is_read_in_the_unit_of_its_name_only() {
    let refused = read_as(DISKS, "latency_ms=Avg. Disk sec/Read,rate=Disk Reads/sec").unwrap_err();
    assert!(
        refused.contains("is in s by its name, not in ms: use latency_s=Avg. Disk sec/Read"),
        "{refused}"
    );
    let esxtop = DISKS.replace("Avg. Disk sec/Read", "Average Guest MilliSec/Read");
    let refused = read_as(&esxtop, "latency_s=Guest,rate=Disk Reads/sec").unwrap_err();
    assert!(refused.contains("latency_ms=Average Guest MilliSec/Read"), "{refused}");
    assert!(read_as(&esxtop, "latency_ms=Guest,rate=Disk Reads/sec").is_ok());
    // A name without a unit is read as it is told.
    let bare = DISKS.replace("Avg. Disk sec/Read", "Read Latency");
    assert!(read_as(&bare, "latency_us=Read Latency,rate=Disk Reads/sec").is_ok());
}

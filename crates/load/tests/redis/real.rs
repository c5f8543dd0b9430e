//! Real servers.

use std::sync::atomic::{AtomicBool, Ordering};

use isotherm_frame::Nanos;
use isotherm_load::{Address, Arrival, Ended, Hooks, LoadError, Operation, Progress, Warmup};
use testing::bounded;

use super::started::Started;
use super::{job, one, open, refusal, run, setup, teardown};

const GET: u8 = 0;
const SET: u8 = 1;

fn at(kind: u8, place: u64) -> Operation {
    Operation { kind, place }
}

#[test]
fn every_operation_that_is_counted_is_one_that_the_server_counted() {
    let Some(server) = Started::new(&[]) else { return };
    let mut job = job(500, 30.0);
    job.warmup = Warmup::Time(Nanos::from_millis(50));
    job.limit.operations = Some(20_000);
    job.limit.time = Nanos::from_millis(50_000);
    job.threads = Some(2);
    let system = open(&server.address("", "?value=64"), &job).unwrap();
    let before = [server.calls("get"), server.calls("set")];
    let counts = system.counts();
    let outcome = run(&*system, &job);
    let after = [server.calls("get"), server.calls("set")];

    assert_eq!((outcome.ended.clone(), outcome.faults.clone()), (Ended::Operations, Vec::new()));
    // Warm-up and the last operations in flight are visits, but not measured.
    let server_says = after[0] + after[1] - before[0] - before[1];
    assert_eq!(outcome.touched.as_ref().unwrap().visits, server_says);
    let measured = outcome.operations();
    assert!((20_000..=server_says).contains(&measured), "{measured} of {server_says}");
    for kind in &outcome.kinds {
        assert_eq!(kind.bytes, kind.response.events * 64, "{}", kind.name);
    }
    let observed =
        |name: &str| outcome.observed.iter().find(|observed| observed.name == name).unwrap().value;
    assert_eq!(observed("keyspace misses"), 0);
    let calls = observed("get calls") + observed("set calls");
    // The server is asked a moment after measuring begins and after it ends.
    assert!(calls > 0 && calls <= server_says, "{calls} of {server_says}");
    assert!(counts.iter().any(|count| count.name == "server cpu"));
    assert_eq!(system.verify(), Vec::<String>::new());
}

#[test]
fn keys_are_made_once_extended_and_repaired() {
    let Some(server) = Started::new(&[]) else { return };
    let address = server.address("", "?db=3");
    let wrote = setup(&address, &job(1_000, 0.0)).unwrap();
    assert_eq!(
        wrote,
        [
            "wrote 1000 keys of 100 bytes: isotherm:000000000000 to isotherm:000000000999",
            "all 1000 keys are there"
        ]
    );
    assert_eq!(setup(&address, &job(1_000, 0.0)).unwrap(), ["all 1000 keys are there"]);
    let more = setup(&address, &job(1_500, 0.0)).unwrap();
    assert!(more[0].starts_with("wrote 500 keys of 100 bytes: isotherm:000000001000"), "{more:?}");
    // Smaller sets use the first keys; other sizes of values write them all.
    assert_eq!(setup(&address, &job(10, 0.0)).unwrap(), ["all 10 keys are there"]);
    let larger = setup(&server.address("", "?db=3&value=200"), &job(1_500, 0.0)).unwrap();
    assert!(larger[0].starts_with("wrote 1500 keys of 200 bytes"), "{larger:?}");
    server.say("FLUSHALL");
    assert!(setup(&address, &job(1_000, 0.0)).unwrap()[0].starts_with("wrote 1000 keys"));
}

#[test]
fn what_was_broken_off_goes_on_where_it_was() {
    let Some(server) = Started::new(&[]) else { return };
    let address = Address::parse(&server.address("", "")).unwrap();
    let (stop, job) = (AtomicBool::new(false), job(100_000, 0.0));
    let mut steps = Vec::new();
    let mut progress = |step: Progress| {
        stop.store(true, Ordering::Relaxed);
        steps.push(step.done);
    };
    let hooks = &mut Hooks { progress: &mut progress, stop: &stop };
    let ends = bounded::watchdog("a setup");
    let stopped = refusal(isotherm_load::setup(&address, &job, hooks));
    drop(ends);
    // What is asked of a server goes on until its thread hears of it.
    let counted =
        stopped.strip_prefix("stopped: ").and_then(|text| text.split_once(" of 100000 keys"));
    let written: u64 = counted.and_then(|(number, _)| number.parse().ok()).expect(&stopped);
    assert!(steps.last().is_some_and(|last| *last <= written), "{steps:?} {stopped}");
    assert_eq!(server.say("DBSIZE"), format!(":{}", written + 1));
    let rest = setup(&server.address("", ""), &job).unwrap();
    let left = 100_000 - written;
    assert!(rest[0].starts_with(&format!("wrote {left} keys of 100 bytes")), "{rest:?}");
}

#[test]
fn keys_of_others_stay() {
    let Some(server) = Started::new(&[]) else { return };
    let address = server.address("", "");
    for key in ["session:1", "isotherm:notes", "isotherm:000000000100", "isotherm:0000000000001"] {
        server.say(&format!("SET {key} theirs"));
    }
    setup(&address, &job(100, 0.0)).unwrap();
    let error = setup(&address, &job(101, 0.0)).unwrap_err();
    assert!(matches!(&error, LoadError::Unsafe(words) if words.starts_with("1 keys named")));
    assert_eq!(
        teardown(&address, &job(1, 0.0)).unwrap(),
        ["deleted 100 keys: isotherm:* of database 0"]
    );
    assert_eq!(server.say("DBSIZE"), ":4");
    let again = teardown(&address, &job(1, 0.0)).unwrap();
    assert!(again[0].contains("holds no keys that were made here"), "{again:?}");
    server.say("SET isotherm:marker mine");
    for result in [setup(&address, &job(1, 0.0)), teardown(&address, &job(1, 0.0))] {
        assert!(matches!(result, Err(LoadError::Unsafe(_))), "{result:?}");
    }
    assert_eq!(server.say("DBSIZE"), ":5");
}

#[test]
fn memory_that_others_need_is_not_taken() {
    let Some(server) = Started::new(&["--maxmemory", "20mb", "--maxmemory-policy", "allkeys-lru"])
    else {
        return;
    };
    let address = server.address("", "?value=1000");
    server.say("SET theirs 1");
    let error = refusal(setup(&address, &job(100_000, 0.0)));
    assert!(error.contains("keys of others would be evicted (allkeys-lru)"), "{error}");
    assert_eq!(server.say("DBSIZE"), ":1");
    server.say("DEL theirs");
    // Alone on the server, one may have more keys than memory: reads then find nothing.
    let mut job = job(100_000, 0.0);
    job.limit.operations = Some(5_000);
    let system = open(&address, &job).unwrap();
    run(&*system, &job);
    let found = system.verify();
    assert!(found[0].contains("reads found no value"), "{found:?}");
}

#[test]
fn who_may_not_learns_what_is_missing() {
    let Some(server) = Started::new(&["--requirepass", "secret"]) else { return };
    let refused = |user: &str| refusal(open(&server.address(user, ""), &job(10, 0.0)));
    assert!(refused("").contains("wants a password: set REDISCLI_AUTH"), "{}", refused(""));
    let wrong = refused(":guess@");
    assert!(wrong.contains("does not know user default by this password"), "{wrong}");
    assert!(!wrong.contains("guess"), "{wrong}");
    assert!(open(&server.address(":secret@", ""), &job(10, 0.0)).is_ok());
}

#[test]
fn a_user_with_few_permissions_is_enough() {
    let Some(server) = Started::new(&[]) else { return };
    server.say(
        "ACL SETUSER load on >pw resetkeys ~isotherm:* -@all +get +exists +ping +select +info",
    );
    let address = server.address("load:pw@", "");
    let error = refusal(open(&address, &job(10, 0.0)));
    assert!(error.contains("ACL SETUSER load ~isotherm:* +get +set"), "{error}");
    assert!(error.contains("'set' command"), "{error}");
    server.say("ACL SETUSER load +set +unlink +config|get");
    let system = open(&address, &job(10, 0.0)).unwrap();
    // A permission taken away meanwhile is a fault, not the end.
    server.say("ACL SETUSER load -set");
    let mut lane = system.open(0, 1).unwrap();
    lane.submit(0, at(SET, 1)).unwrap();
    let words = one(&mut *lane).result.unwrap_err();
    assert!(words.starts_with("NOPERM: "), "{words}");
    lane.submit(0, at(GET, 1)).unwrap();
    assert_eq!(one(&mut *lane).result, Ok(100));
}

#[test]
fn refusals_are_faults_by_their_code() {
    let Some(server) = Started::new(&[]) else { return };
    let system = open(&server.address("", ""), &job(10, 0.0)).unwrap();
    let mut lane = system.open(0, 1).unwrap();
    let mut set = || {
        lane.submit(0, at(SET, 3)).unwrap();
        one(&mut *lane).result.map_err(|words| words.split(':').next().unwrap().to_owned())
    };
    assert_eq!(set(), Ok(100));
    server.say("CONFIG SET maxmemory 1");
    assert_eq!(set(), Err("OOM".to_owned()));
    server.say("CONFIG SET maxmemory 0");
    server.say("REPLICAOF 127.0.0.1 1");
    assert_eq!(set(), Err("READONLY".to_owned()));
    server.say("REPLICAOF NO ONE");
    assert_eq!(set(), Ok(100));
}

#[test]
fn a_server_that_dies_and_comes_back_costs_faults_only() {
    let Some(mut server) = Started::new(&[]) else { return };
    let system = open(&server.address("", "?db=2"), &job(10, 0.0)).unwrap();
    let mut lane = system.open(0, 2).unwrap();
    let mut get = |slot: u32| {
        lane.submit(slot, at(GET, 1)).unwrap();
        let done = one(&mut *lane);
        assert_eq!(done.slot, slot);
        done.result.map_err(std::borrow::Cow::into_owned)
    };
    assert_eq!((get(0), get(1)), (Ok(100), Ok(100)));
    server.kill();
    assert_eq!(get(0), Err("connection lost".to_owned()));
    let mut refused = (0..4).map(|_| get(0).unwrap_err());
    assert!(refused.all(|words| words == "connection refused"));
    server.start();
    // The keys are gone with the server, and the database has to be chosen again.
    let answers: Vec<_> = (0..3).map(|_| get(0)).collect();
    assert!(answers.contains(&Ok(0)), "{answers:?}");
    assert!(get(1) == Ok(0) || get(1) == Ok(0), "the other connection, too, comes back");
}

#[test]
fn connections_are_spread_evenly_and_large_values_arrive_whole() {
    let Some(server) = Started::new(&[]) else { return };
    let mut job = job(3, 50.0);
    job.arrival = Arrival::Closed { in_flight: 5, think: None };
    job.limit.operations = Some(60);
    let system = open(&server.address("", "?value=3000000"), &job).unwrap();
    assert_eq!(system.lanes(5, Some(2)), [3, 2]);
    assert_eq!(system.lanes(2, Some(9)), [1, 1]);
    assert_eq!(system.lanes(50, None), [50]);
    let outcome = run(&*system, &job);
    assert_eq!(outcome.faults, []);
    let bytes: u64 = outcome.kinds.iter().map(|kind| kind.bytes).sum();
    assert_eq!(bytes, outcome.operations() * 3_000_000);
    assert_eq!(system.verify(), Vec::<String>::new());
}

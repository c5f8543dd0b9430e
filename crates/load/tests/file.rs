//! Files under load, both ways of submitting: nothing lost, nothing of others touched, and what
//! was written is there.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "tests")]

use std::collections::HashMap;
use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use isotherm_frame::Nanos;
use isotherm_load::{
    Address, Arrival, Done, Engine, FileMethod, Hooks, Job, Limit, LoadError, Operation, System,
    Wait, Warmup, clock, open, run, setup, teardown,
};
use testing::bounded;

const BLOCK: u64 = 8_192;
const SIZE: u64 = 8 << 20;

fn job(method: FileMethod, update_pct: f64) -> Job {
    let mut job = Job {
        arrival: Arrival::Closed { in_flight: 8, think: None },
        limit: Limit { time: Nanos::from_millis(50_000), operations: Some(4_000) },
        warmup: Warmup::Time(Nanos::from_millis(0)),
        ..Job::default()
    };
    job.file.method = method;
    job.file.size = Some(SIZE);
    // The directory for temporary files may be in memory.
    job.file.direct = false;
    job.work.update_pct = update_pct;
    job
}

fn with_hooks<T>(act: impl FnOnce(&mut Hooks) -> T) -> T {
    let stop = AtomicBool::new(false);
    act(&mut Hooks { progress: &mut |_| {}, stop: &stop })
}

fn opened(path: &Path, job: &Job) -> Result<Box<dyn System>, LoadError> {
    with_hooks(|hooks| open(&Address::file(path), job, hooks))
}

/// Both ways, where the system lets us.
fn each_method(test: impl Fn(FileMethod)) {
    let _ends = bounded::watchdog("operations on a file");
    test(FileMethod::Sync);
    let folder = tempfile::tempdir().unwrap();
    match opened(&folder.path().join("try"), &job(FileMethod::Uring, 0.0)) {
        Err(LoadError::Unreachable(why)) => eprintln!("skipped: {why}"),
        tried => {
            tried.unwrap();
            test(FileMethod::Uring);
        }
    }
}

fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("load.dat");
    (folder, path)
}

/// A small generator of numbers (xorshift): the same sequence each time.
struct Draw(u64);

impl Draw {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

/// Submits and reaps at random; checks that each operation comes back once, and not before it was
/// submitted.
fn conserve(engine: &mut dyn Engine, slots: u32, places: u64, seed: u64) {
    let mut draw = Draw(seed);
    let mut flying: HashMap<u32, u64> = HashMap::new();
    let mut done: Vec<Done> = Vec::new();
    let (mut submitted, mut ended) = (0, 0);
    let mut steps = 0;
    // The last of them only reap, until everything has come back.
    while steps < 1_200 || !flying.is_empty() {
        let last = steps >= 1_100;
        steps += 1;
        let slot = u32::try_from(draw.below(u64::from(slots))).unwrap();
        if !last && draw.below(3) > 0 && !flying.contains_key(&slot) {
            let kind = u8::try_from(draw.below(2)).unwrap();
            let operation = Operation { kind, place: draw.below(places) };
            flying.insert(slot, clock::now_ns());
            engine.submit(slot, operation).unwrap();
            submitted += 1;
        } else {
            let wait = match draw.below(3) {
                0 => Wait::No,
                1 => Wait::One,
                _ => Wait::Until(clock::now_ns() + 100_000),
            };
            engine.reap(wait, &mut done).unwrap();
        }
        for done in done.drain(..) {
            let begun = flying.remove(&done.slot).expect("was in flight");
            assert!(done.at_ns >= begun);
            assert_eq!(u64::from(done.result.unwrap()), BLOCK);
            ended += 1;
        }
    }
    assert_eq!((submitted, flying.len()), (ended, 0));
    assert!(submitted > 200);
}

#[test]
fn every_operation_comes_back_once() {
    each_method(|method| {
        for direct in [false, true] {
            let (_folder, path) = folder();
            let mut job = job(method, 50.0);
            job.file.direct = direct;
            let system = match opened(&path, &job) {
                Err(LoadError::Job(why)) if direct => return eprintln!("skipped: {why}"),
                opened => opened.unwrap(),
            };
            for (lane, slots) in [(0, 1), (1, 3), (2, 16), (3, 64)] {
                let mut engine = system.open(lane, slots).unwrap();
                conserve(engine.as_mut(), slots, system.places(), u64::from(slots) + 99);
            }
            assert_eq!(system.verify(), Vec::<String>::new());
        }
    });
}

#[test]
fn a_lane_may_be_dropped_with_operations_in_flight() {
    each_method(|method| {
        let (_folder, path) = folder();
        let system = opened(&path, &job(method, 50.0)).unwrap();
        for round in 0..20 {
            let mut engine = system.open(0, 32).unwrap();
            for slot in 0..=round {
                engine.submit(slot, Operation { kind: 0, place: u64::from(slot) }).unwrap();
            }
        }
    });
}

#[test]
fn a_slot_holds_one_operation_and_nothing_is_waited_for_in_vain() {
    each_method(|method| {
        let (_folder, path) = folder();
        let system = opened(&path, &job(method, 0.0)).unwrap();
        let mut engine = system.open(0, 4).unwrap();
        let mut done = Vec::new();
        engine.reap(Wait::One, &mut done).unwrap();
        engine.reap(Wait::No, &mut done).unwrap();
        let until = clock::now_ns() + 2_000_000;
        engine.reap(Wait::Until(until), &mut done).unwrap();
        assert!(clock::now_ns() >= until && done.is_empty());
        if method == FileMethod::Uring {
            engine.submit(3, Operation { kind: 0, place: 0 }).unwrap();
            assert!(engine.submit(3, Operation { kind: 0, place: 1 }).is_err());
            assert!(engine.submit(4, Operation { kind: 0, place: 1 }).is_err());
        }
    });
}

#[test]
fn what_cannot_be_done_is_a_fault_in_words() {
    each_method(|method| {
        let (_folder, path) = folder();
        let system = opened(&path, &job(method, 0.0)).unwrap();
        // Somebody cuts the file while it is read: a whole block, a part of one, none.
        File::options().write(true).open(&path).unwrap().set_len(BLOCK + 512).unwrap();
        let mut engine = system.open(0, 1).unwrap();
        let results = [0, 1, 2].map(|place| {
            let mut done = Vec::new();
            engine.submit(0, Operation { kind: 0, place }).unwrap();
            while done.is_empty() {
                engine.reap(Wait::One, &mut done).unwrap();
            }
            done.remove(0).result.map_err(std::borrow::Cow::into_owned)
        });
        let cut = "read: ended before the block was complete: the file is shorter than it was";
        assert_eq!(results, [Ok(8_192), Err(cut.to_owned()), Err(cut.to_owned())]);
        // The file was opened for reading only: a write cannot harm it, and is a fault, too.
        let mut done = Vec::new();
        engine.submit(0, Operation { kind: 1, place: 0 }).unwrap();
        while done.is_empty() {
            engine.reap(Wait::One, &mut done).unwrap();
        }
        assert!(done[0].result.is_err());
    });
}

#[test]
fn what_is_written_is_read_back_and_damage_is_found() {
    each_method(|method| {
        let (_folder, path) = folder();
        let job = job(method, 50.0);
        let system = opened(&path, &job).unwrap();
        let stop = AtomicBool::new(false);
        let load = || run(system.as_ref(), &job, &stop, &mut |_| {}).unwrap();
        let outcome = load();
        assert_eq!((outcome.operations(), outcome.failed()), (4_000, 0));
        assert_eq!(system.verify(), Vec::<String>::new());
        assert_eq!(system.verify(), Vec::<String>::new(), "reported once");
        load();
        // One block in two becomes what it was before the run, as a lost write leaves it.
        let file = File::options().read(true).write(true).open(&path).unwrap();
        for place in (0..SIZE / BLOCK).step_by(2) {
            file.write_all_at(&[0x5a; 700], place * BLOCK + 900).unwrap();
        }
        let message = system.verify();
        assert_eq!(message.len(), 1, "{message:?}");
        assert!(message[0].contains("hold something that was never written"), "{message:?}");
    });
}

/// How this process has a file open: the flags of each descriptor.
fn flags(path: &Path) -> Vec<i32> {
    let path = fs::canonicalize(path).unwrap();
    let open = fs::read_dir("/proc/self/fd").unwrap().filter_map(|entry| {
        let entry = entry.unwrap();
        (fs::read_link(entry.path()).ok()? == path).then(|| entry.file_name())
    });
    open.filter_map(|number| {
        let message = fs::read_to_string(Path::new("/proc/self/fdinfo").join(number)).ok()?;
        let octal = message.lines().find_map(|line| line.strip_prefix("flags:"))?.trim().to_owned();
        i32::from_str_radix(&octal, 8).ok()
    })
    .collect()
}

#[test]
fn writes_end_on_stable_storage_if_asked_to_wherever_buffers_lie() {
    each_method(|method| {
        for (dsync, huge_pages) in [(true, false), (false, true)] {
            let (_folder, path) = folder();
            let mut job = job(method, 100.0);
            job.limit.operations = Some(200);
            (job.file.dsync, job.file.huge_pages) = (dsync, huge_pages);
            let system = opened(&path, &job).unwrap();
            let _lane = system.open(0, 1).unwrap();
            let durable = |flags: &i32| flags & 0o10_000 != 0;
            assert_eq!(flags(&path).iter().any(durable), dsync);
            let message = |words: &str| system.facts().iter().any(|(_, fact)| fact.contains(words));
            assert_eq!(message("O_DSYNC"), dsync);
            assert!(huge_pages || message("in pages of 4 KiB"), "{:?}", system.facts());
            let outcome = run(&*system, &job, &AtomicBool::new(false), &mut |_| {}).unwrap();
            assert_eq!((outcome.operations(), outcome.failed()), (200, 0));
            assert_eq!(system.verify(), Vec::<String>::new());
        }
    });
}

#[test]
fn a_file_of_others_is_read_and_not_written() {
    let (_folder, path) = folder();
    let content = vec![7; 65_536];
    fs::write(&path, &content).unwrap();
    let with = |update_pct, i_mean_it| {
        let mut job = job(FileMethod::Sync, update_pct);
        job.file.size = None;
        job.file.i_mean_it = i_mean_it;
        opened(&path, &job)
    };
    assert_eq!(with(0.0, false).unwrap().places(), 8);
    let Err(LoadError::Unsafe(message)) = with(1.0, false) else { panic!("not refused") };
    assert!(message.contains("--i-mean-it"), "{message}");
    assert!(matches!(
        with_hooks(|hooks| teardown(&Address::file(&path), &Job::default(), hooks)),
        Err(LoadError::Unsafe(_))
    ));
    assert_eq!(fs::read(&path).unwrap(), content);
    assert_eq!(with(1.0, true).unwrap().places(), 8);
}

#[test]
fn a_file_stays_ours_however_it_was_written_to_and_is_taken_away() {
    let _ends = bounded::watchdog("operations on a file");
    let (folder, path) = folder();
    let address = Address::file(&path);
    let mut job = job(FileMethod::Sync, 100.0);
    let message = with_hooks(|hooks| setup(&address, &job, hooks)).unwrap();
    assert!(message[0].ends_with("8 MiB"), "{message:?}");
    // Blocks smaller and larger than those it was made of.
    for block in [512, 65_536] {
        job.file.block = block;
        let system = opened(&path, &job).unwrap();
        run(system.as_ref(), &job, &AtomicBool::new(false), &mut |_| {}).unwrap();
        assert_eq!(system.verify(), Vec::<String>::new());
    }
    let again = with_hooks(|hooks| setup(&address, &job, hooks)).unwrap();
    assert!(again[0].contains("is there already: 8 MiB"), "{again:?}");
    with_hooks(|hooks| teardown(&address, &job, hooks)).unwrap();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn one_at_a_time_writes() {
    let (_folder, path) = folder();
    let first = opened(&path, &job(FileMethod::Sync, 1.0)).unwrap();
    assert!(matches!(opened(&path, &job(FileMethod::Sync, 1.0)), Err(LoadError::Unsafe(_))));
    assert!(opened(&path, &job(FileMethod::Sync, 0.0)).is_ok());
    drop(first);
    assert!(opened(&path, &job(FileMethod::Sync, 1.0)).is_ok());
}

#[test]
fn a_file_with_holes_says_so() {
    let (_folder, path) = folder();
    File::create(&path).unwrap().set_len(SIZE).unwrap();
    let system = opened(&path, &job(FileMethod::Sync, 0.0)).unwrap();
    let facts: HashMap<_, _> = system.facts().into_iter().collect();
    assert_eq!(facts["sparse"], "100 % of the working set, 8 MiB");
    let (_folder, path) = folder();
    let system = opened(&path, &job(FileMethod::Sync, 0.0)).unwrap();
    assert!(system.facts().iter().all(|(name, _)| name != "sparse"));
}

#[test]
fn what_cannot_be_loaded_says_what_can() {
    let (folder, path) = folder();
    let message = |path: &Path, change: &dyn Fn(&mut Job)| {
        let mut job = job(FileMethod::Sync, 0.0);
        change(&mut job);
        match opened(path, &job) {
            Err(error) => error.to_string(),
            Ok(_) => panic!("opened"),
        }
    };
    assert!(message(folder.path(), &|_| ()).contains("name a file in it"));
    assert!(message(&path, &|job| job.file.block = 1_000).contains("a multiple of 512"));
    assert!(message(&path, &|job| job.file.size = Some(100)).contains("give at least 8 KiB"));
    assert!(message(Path::new("/dev/null"), &|_| ()).contains("neither a file nor a block device"));
    fs::write(&path, [0; 4_096]).unwrap();
    assert!(message(&path, &|_| ()).contains("has 4 KiB, 8 MiB are asked for"));
    assert!(message(&path, &|job| job.file.size = None).contains("no block of 8 KiB fits"));
}

/// A block device of this machine that may be read, if there is one.
fn device() -> Option<PathBuf> {
    let blocks = fs::read_dir("/sys/block").ok()?.flatten();
    let sized = blocks.filter(|device| {
        fs::read_to_string(device.path().join("size")).is_ok_and(|size| size.trim() != "0")
    });
    let mut paths = sized.map(|device| Path::new("/dev").join(device.file_name()));
    paths.find(|path| File::open(path).is_ok())
}

#[test]
fn a_device_is_read_and_not_written() {
    let _ends = bounded::watchdog("reading a device");
    let Some(path) = device() else {
        eprintln!("skipped: no block device may be read");
        return;
    };
    let mut reading = job(FileMethod::Auto, 0.0);
    reading.file.direct = true;
    reading.file.size = Some(1 << 20);
    let system = opened(&path, &reading).unwrap();
    assert_eq!(system.places(), (1 << 20) / BLOCK);
    let mut engine = system.open(0, 1).unwrap();
    let mut done = Vec::new();
    engine.submit(0, Operation { kind: 0, place: 1 }).unwrap();
    while done.is_empty() {
        engine.reap(Wait::One, &mut done).unwrap();
    }
    assert_eq!(done[0].result, Ok(8_192));
    reading.work.update_pct = 1.0;
    assert!(matches!(opened(&path, &reading), Err(LoadError::Unsafe(_))));
}

#[test]
fn direct_io_on_a_filesystem_in_memory_is_refused() {
    let folder = tempfile::Builder::new().prefix("isotherm").tempdir_in("/dev/shm");
    let Ok(folder) = folder else {
        eprintln!("skipped: there is no /dev/shm");
        return;
    };
    let path = folder.path().join("load.dat");
    let mut direct = job(FileMethod::Auto, 0.0);
    direct.file.direct = true;
    let message = opened(&path, &direct).map(|_| ()).unwrap_err().to_string();
    assert!(message.contains("--buffered"), "{message}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "nothing was left behind");
    assert!(opened(&path, &job(FileMethod::Auto, 0.0)).is_ok());
    let message = opened(&path, &direct).map(|_| ()).unwrap_err().to_string();
    assert!(message.contains("--buffered"), "{message}");
}

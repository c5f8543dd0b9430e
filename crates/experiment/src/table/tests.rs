use proptest::prelude::*;

use super::*;
use crate::sample_runs::run;

fn line(run: &Run) -> String {
    serde_json::to_string(run).expect("a run can be written") + "\n"
}

fn read(text: &str) -> RunTable {
    RunTable::read_from(&mut text.as_bytes()).expect("memory can be read")
}

#[test]
fn what_was_written_is_read() {
    let runs = [run(0, 0, 8), run(0, 1, 8), run(1, 0, 16)];
    let table = read(&runs.iter().map(line).collect::<String>());
    assert_eq!(table.runs, runs);
    assert_eq!((table.rejected, table.torn, table.account()), (0, false, None));
}

#[test]
fn lines_that_are_no_runs_are_counted_with_their_place() {
    let newer = Run { format: 2, ..run(0, 0, 8) };
    let text = format!("{{}}\n\nhello\n{}{}", line(&run(1, 0, 8)), line(&newer));
    let table = read(&text);
    assert_eq!((table.runs.len(), table.rejected, table.torn), (1, 3, false));
    let lines: Vec<u64> = table.reasons.iter().map(|(line, _)| *line).collect();
    assert_eq!(lines, [1, 3, 5]);
    assert_eq!(table.reasons[2].1, "of format 2; this isotherm reads 1");
    let account = table.account().unwrap_or_default();
    assert!(account.starts_with("line 1 of the run table is skipped"), "{account}");
    assert!(account.ends_with(", and 2 more"), "{account}");
}

#[test]
fn a_run_whose_counts_do_not_add_up_is_no_run() {
    let spoilt = |spoil: fn(&mut Run)| {
        let mut run = run(0, 0, 8);
        spoil(&mut run);
        let table = read(&line(&run));
        (table.runs.len(), table.rejected)
    };
    assert_eq!(spoilt(|_| ()), (1, 0));
    assert_eq!(spoilt(|run| run.outcome.kinds[0].response.events = 9), (0, 1));
    assert_eq!(spoilt(|run| run.outcome.kinds[0].response.buckets[0].0 = 1 << 20), (0, 1));
    let most = |run: &mut Run| {
        run.outcome.kinds.push(run.outcome.kinds[0].clone());
        run.outcome.kinds.iter_mut().for_each(|kind| kind.bytes = u64::MAX);
    };
    assert_eq!(spoilt(most), (0, 1));
}

#[test]
fn a_last_line_cut_anywhere_costs_that_line_only() {
    let (first, last) = (line(&run(0, 0, 8)), line(&run(1, 0, 16)));
    for cut in 1..last.len() - 1 {
        let table = read(&format!("{first}{}", &last[..cut]));
        assert_eq!((table.runs.len(), table.rejected, table.torn), (1, 1, true), "cut at {cut}");
    }
    // Only the end of the line is missing: the run is whole.
    let table = read(&format!("{first}{}", last.trim_end()));
    assert_eq!((table.runs.len(), table.rejected, table.torn), (2, 0, false));
}

#[test]
fn of_a_run_done_again_the_whole_one_counts() {
    let ended = |ended: Ended, operations: u64| {
        let mut run = run(0, 0, operations);
        run.outcome.ended = ended;
        run
    };
    let counted = |runs: &[Run]| {
        let table = RunTable { runs: runs.to_vec(), ..RunTable::default() };
        let latest: Vec<u64> = table.latest().iter().map(|run| run.outcome.operations()).collect();
        (latest, table.usable().len())
    };
    let interrupted = ended(Ended::Interrupted, 3);
    let failed = ended(Ended::Failed("gone".to_owned()), 4);
    let whole = ended(Ended::Time, 5);
    assert_eq!(counted(&[interrupted.clone(), whole.clone()]), (vec![5], 1));
    assert_eq!(counted(&[whole.clone(), failed.clone()]), (vec![5], 1));
    assert_eq!(counted(&[interrupted, failed]), (vec![4], 0));
    assert_eq!(counted(&[whole, ended(Ended::Operations, 6)]), (vec![6], 1));
    assert_eq!(counted(&[ended(Ended::Time, 0)]), (vec![0], 0));
}

#[test]
fn a_directory_without_a_table_says_so() {
    let room = tempfile::tempdir().expect("a directory can be made");
    let error = RunTable::read(room.path()).expect_err("there is no table").to_string();
    assert!(error.ends_with("give the directory of a sweep, or the file itself"), "{error}");
    let path = room.path().join(RUNS);
    std::fs::write(&path, line(&run(0, 0, 8))).expect("a file can be written");
    let (by_directory, by_file) = (RunTable::read(room.path()), RunTable::read(&path));
    assert_eq!(by_directory.map(|table| table.runs.len()).ok(), Some(1));
    assert_eq!(by_file.map(|table| table.runs.len()).ok(), Some(1));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn any_damage_is_rejected_or_can_be_summed_up(
        places in proptest::collection::vec((0.0_f64..1.0, any::<u8>()), 1..4),
        digits in proptest::collection::vec((0.0_f64..1.0, "[0-9]{1,20}"), 0..3),
    ) {
        let mut bytes: Vec<u8> =
            [run(0, 0, 8), run(0, 1, 9), run(1, 0, 7)].iter().map(line).collect::<String>().into();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place")]
        let at = |share: f64, length: usize| (share * length as f64) as usize;
        // Numbers become other numbers, which is what is still read.
        for (share, digits) in digits {
            let from = at(share, bytes.len());
            let Some(begin) = bytes.iter().skip(from).position(u8::is_ascii_digit) else { continue };
            bytes.splice(from + begin..=from + begin, digits.bytes());
        }
        for (share, byte) in places {
            let place = at(share, bytes.len());
            bytes[place] = byte;
        }
        let table = RunTable::read_from(&mut &bytes[..]).expect("memory can be read");
        let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
        prop_assert_eq!(table.runs.len() as u64 + table.rejected, lines.count() as u64);
        for point in table.points() {
            let spreads = [point.throughput, point.mean_s, point.p99_s, point.waited];
            for spread in spreads.into_iter().flatten() {
                prop_assert!(spread.low <= spread.median && spread.median <= spread.high);
            }
        }
    }
}

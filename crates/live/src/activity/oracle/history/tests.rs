//! The history of a server with answers that are written down.

use std::fmt::Write;

use super::*;
use crate::oracle::scripted::{Reply, Scripted, no_view};

/// A session that reads in every sample from the first to the last, a second apart, at noon of a day; the last
/// is `age` seconds old.
fn answer(samples: std::ops::RangeInclusive<u64>, age: u64) -> String {
    let time = |number: u64| {
        let second = 3_600 - age - (samples.end() - number);
        format!("2026-03-01 11:{:02}:{:02}.000", second / 60, second % 60)
    };
    let mut text = "T|2026-03-01 12:00:00.000|1:1\n".to_owned();
    let (first, last) = (samples.start(), samples.end());
    writeln!(text, "O|1|{first}|{}|{last}|{}", time(*first), time(*last)).unwrap();
    for number in samples.clone() {
        let time = time(number);
        let read = "User I/O|db file sequential read|7h35uxf5uhmm1||31|104|app";
        writeln!(text, "H|1|{number}|{time}|71|9|{read}").unwrap();
        writeln!(text, "H|1|{number}|{time}|72|3|Application|enq: TX|7h35uxf5uhmm1|1:81|9||")
            .unwrap();
    }
    text + ".\n"
}

fn history(link: Link) -> History {
    History::new(link, Nanos::from_millis(60_000))
}

fn link(server: &Scripted, scope: Scope) -> Link {
    Link::new(Box::new(server.clone()), scope, None)
}

/// Answers with these, one after the other, and then with the last.
fn server(answers: Vec<String>) -> Scripted {
    let mut answers = answers.into_iter();
    let mut last = String::new();
    Scripted::new(move |sql| {
        let text = match sql {
            _ if sql.contains("'H|'") => {
                last = answers.next().unwrap_or_else(|| last.clone());
                last.clone()
            }
            _ if sql.contains("'Q|'") => "Q|7h35uxf5uhmm1|select 1\n".to_owned(),
            _ if sql.contains("all_users") => "104|APP\n".to_owned(),
            _ => "B|1:81|APP|inactive|batch\n".to_owned(),
        };
        Reply::Lines(text)
    })
}

#[test]
fn every_row_is_counted_once_over_many_polls() {
    // Each poll finds the samples of the last seconds, those of the poll before among them.
    let polls = (0..20).map(|second| answer(100 + second..=104 + second, 1)).collect();
    let mut history = history(link(&server(polls), Scope::All));
    assert!(history.connect().is_ok());
    let mut counted = 0;
    for _ in 0..20 {
        let Ok(looked) = history.look() else { panic!("refused") };
        assert_eq!(looked.skipped, 0);
        counted += looked.samples.iter().map(|sample| sample.sessions.len()).sum::<usize>();
    }
    // Samples 100 to 122: the last one is younger than two seconds.
    assert_eq!(counted, 2 * 23);
    assert_eq!(history.warning(), None);
}

#[test]
fn users_statements_and_blockers_are_asked_for_once_each() {
    let server = server(vec![answer(100..=110, 3)]);
    let mut history = history(link(&server, Scope::All));
    assert!(history.connect().is_ok());
    let Ok(looked) = history.look() else { panic!("refused") };
    let last = looked.samples.last().unwrap();
    assert_eq!((looked.samples.len(), &*last.sessions[0].user), (11, "APP"));
    assert_eq!((&*last.sessions[1].user, &*last.sessions[1].blocker), ("", "1:81"));
    let names: Vec<&str> = last.names.iter().map(|name| &*name.text).collect();
    assert_eq!(names, ["select 1", "APP, batch, inactive"]);
    assert!(history.look().is_ok());
    let asked = server.asked.lock().unwrap();
    assert_eq!(asked.len(), 5, "two polls, a user, a statement, a blocker: {asked:#?}");
    // A minute and what it may be behind, and then a few seconds.
    assert!(asked[0].contains("FROM gv$active_session_history\n"), "{}", asked[0]);
    assert!(
        asked[0].contains("NUMTODSINTERVAL(63, 'SECOND')") && asked[0].contains("'O|'||inst_id")
    );
    assert!(asked[4].contains("NUMTODSINTERVAL(5, 'SECOND')") && !asked[4].contains("'O|'"));
}

#[test]
fn our_own_session_is_left_out_from_when_it_connected() {
    let own = answer(100..=110, 3).replace("|1:1\n", "|1:71\n");
    let mut history = history(link(&server(vec![own]), Scope::Own));
    assert!(history.connect().is_ok());
    // It connected seven seconds ago: the last five samples are three to seven seconds old.
    history.connected = history.connected.minus(Nanos::from_millis(7_500));
    let Ok(looked) = history.look() else { panic!("refused") };
    let sessions: Vec<usize> = looked.samples.iter().map(|sample| sample.sessions.len()).collect();
    assert_eq!(sessions, [2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1]);
}

#[test]
fn the_time_asked_for_ends_with_the_samples_that_all_can_be_seen() {
    let mut history = history(link(&server(vec![answer(100..=199, 1)]), Scope::All));
    let Ok(kept) = history.read() else { panic!("refused") };
    let times = |index: usize| kept.until.since(kept.looked.samples[index].at);
    // The last is one second old, and left out; the one before it is as old as the end.
    assert_eq!(kept.looked.samples.len(), 60);
    assert_eq!((times(0), times(59)), (Nanos::from_millis(59_000), Nanos::ZERO));
    assert_eq!(kept.warnings, Vec::<String>::new());
    let mut history = History::new(
        link(&server(vec![answer(100..=199, 1)]), Scope::All),
        Nanos::from_millis(600_000),
    );
    let Ok(kept) = history.read() else { panic!("refused") };
    assert_eq!(kept.warnings, ["instance 1 keeps samples of the last 98s only"]);
}

#[test]
fn a_view_that_may_not_be_read_is_named_with_its_grant() {
    let mut history = history(link(&Scripted::new(|_| no_view()), Scope::All));
    assert!(history.connect().is_ok());
    let Err(LookError::Refused(why)) = history.look() else { panic!("not refused") };
    assert!(why.contains("may not read GV$ACTIVE_SESSION_HISTORY"), "{why}");
    assert!(why.contains("GRANT SELECT ON SYS.GV_$ACTIVE_SESSION_HISTORY TO mon;"), "{why}");
}

#[test]
fn without_the_view_of_all_instances_it_is_that_of_the_own_one() {
    let one = answer(100..=110, 3);
    let server = Scripted::new(move |sql| match sql {
        _ if sql.contains("gv$") => no_view(),
        _ if sql.contains("'H|'") => Reply::Lines(one.clone()),
        _ => no_view(),
    });
    let mut history = history(link(&server, Scope::All));
    assert!(history.connect().is_ok());
    let Ok(looked) = history.look() else { panic!("refused") };
    assert_eq!(looked.samples.len(), 11);
    for view in ["GV_$ACTIVE_SESSION_HISTORY", "V_$SQLSTATS", "V_$SESSION"] {
        let warning = history.warning().unwrap();
        assert!(warning.contains(&format!("GRANT SELECT ON SYS.{view} TO mon;")), "{warning}");
    }
    assert_eq!(&*looked.samples[0].sessions[0].user, "user 104");
}

#[test]
fn an_empty_history_is_explained_where_the_parameter_can_be_read() {
    for (parameter, said) in [
        (Some("NONE"), "CONTROL_MANAGEMENT_PACK_ACCESS is NONE"),
        (Some("DIAGNOSTIC+TUNING"), "no session has been active"),
        (None, "is CONTROL_MANAGEMENT_PACK_ACCESS set to NONE?"),
    ] {
        let server = Scripted::new(move |sql| match (sql.contains("'H|'"), parameter) {
            (true, _) => Reply::Lines("T|2026-03-01 12:00:00.000|1:1\n.\n".to_owned()),
            (false, Some(value)) => Reply::Lines(format!("{value}\n")),
            (false, None) => no_view(),
        });
        let mut history = history(link(&server, Scope::All));
        let Ok(kept) = history.read() else { panic!("refused") };
        assert_eq!(kept.looked.samples, []);
        assert!(kept.warnings[0].contains(said), "{:?}", kept.warnings);
    }
}

/// Two instances, a sample of each a second, half a second apart: three sessions in each sample of the first, two in
/// every fourth of the second. What `now` seconds after eleven shows of the last `length` seconds.
fn cluster(now: u64, length: u64) -> String {
    let time = |second: u64, millis: u64| {
        format!("2026-03-01 11:{:02}:{:02}.{millis:03}", second / 60, second % 60)
    };
    let mut text = format!("T|{}|1:1\n", time(now, 900));
    for instance in 1..=2_u64 {
        let millis = 500 * (instance - 1);
        writeln!(text, "O|{instance}|100|{}|{}|{}", time(0, millis), 100 + now, time(now, millis))
            .unwrap();
        for second in now + 1 - length..=now {
            let sessions = match instance {
                1 => 3,
                _ if second % 4 == 0 => 2,
                _ => 0,
            };
            for session in 0..sessions {
                let (number, at) = (100 + second, time(second, millis));
                let read = "User I/O|db file sequential read|||31|104|app";
                writeln!(text, "H|{instance}|{number}|{at}|{session}|9|{read}").unwrap();
            }
        }
    }
    text + ".\n"
}

#[test]
fn a_sample_of_a_cluster_has_one_of_each_instance_though_some_turn_out_to_be_empty_later() {
    let (mut numbering, mut rounds) = (Numbering::default(), Rounds::default());
    let mut samples = Vec::new();
    for poll in 0..60_u64 {
        let (now, length) = (100 + poll, if poll == 0 { 60 } else { 5 });
        let reading = rows::reading(&cluster(now, length)).unwrap();
        let asked = Timestamp::default().plus(Nanos::new((1_000 + now) * 1_000_000_000));
        let from = asked.minus(Nanos::new(length * 1_000_000_000));
        let clock = PollClock { asked, now: reading.now, from };
        let news = numbering.advance(reading, &clock);
        assert_eq!((news.skipped, news.warnings), (0, Vec::new()));
        let known = numbering.known_until();
        let complete = rounds.add(news.samples, numbering.instances(), known);
        samples.extend(complete.iter().map(|sample| sample.sessions.len()));
    }
    // One a second, all but the last few; every fourth has the sessions of both.
    assert!((108..=119).contains(&samples.len()), "{}", samples.len());
    assert!(samples.iter().all(|sessions| [3, 5].contains(sessions)), "{samples:?}");
    for four in samples.windows(4).skip(1) {
        assert_eq!(four.iter().sum::<usize>(), 4 * 3 + 2, "{samples:?}");
    }
}

#[test]
fn time_of_which_an_instance_keeps_nothing_is_not_known_of_the_cluster() {
    let all = cluster(100, 60);
    // The second instance keeps its last 20 samples only.
    let kept: Vec<String> = all
        .lines()
        .filter(|line| {
            let number = line.strip_prefix("H|2|").and_then(|rest| rest.split('|').next());
            number.is_none_or(|number| number.parse::<u64>().unwrap() >= 181)
        })
        .map(|line| {
            if line.starts_with("O|2|") {
                line.replace("|100|2026-03-01 11:00:00.500", "|181|2026-03-01 11:01:21.500")
            } else {
                line.to_owned()
            }
        })
        .collect();
    let mut history = history(link(&server(vec![kept.join("\n") + "\n"]), Scope::All));
    let Ok(kept) = history.read() else { panic!("refused") };
    assert!((12..=20).contains(&kept.looked.samples.len()), "{}", kept.looked.samples.len());
    let sessions: usize = kept.looked.samples.iter().map(|sample| sample.sessions.len()).sum();
    assert!(sessions >= 3 * kept.looked.samples.len(), "{sessions}");
    assert!(
        kept.warnings[0].contains("instance 2 keeps samples of the last"),
        "{:?}",
        kept.warnings
    );
}

#[test]
fn a_clock_that_the_samples_contradict_is_a_warning() {
    let mut reading = rows::reading(&answer(100..=199, 1)).unwrap();
    assert_eq!(numbering::clock_warnings(&reading), Vec::<String>::new());
    reading.now = reading.now.checked_add(jiff::SignedDuration::from_hours(1)).unwrap();
    let said = numbering::clock_warnings(&reading).join(" ");
    assert!(said.contains("newest sample of instance 1 is 3601s old"), "{said}");
    let kept = reading.kept.get_mut(&1).unwrap();
    kept.oldest.time = kept.oldest.time.checked_sub(jiff::SignedDuration::from_hours(1)).unwrap();
    let said = numbering::clock_warnings(&reading).join(" ");
    assert!(said.contains("numbered 99 samples in 3699s"), "{said}");
}

/// Nine samples in which five sessions wait for 1:900, and a last one in which one waits for 1:81.
fn blocked(serial: u64) -> String {
    let mut text = "T|2026-03-01 12:00:00.000|1:1\n\
        O|1|1|2026-03-01 11:59:48.000|10|2026-03-01 11:59:57.000\n"
        .to_owned();
    for number in 1..=10_u64 {
        let (waiting, blocker) =
            if number == 10 { (1, "1:81,7".to_owned()) } else { (5, format!("1:900,{serial}")) };
        for sid in 0..waiting {
            let wait = format!("Application|enq: TX||{blocker}|9||app");
            writeln!(text, "H|1|{number}|2026-03-01 11:59:{}.000|{sid}|9|{wait}", 47 + number)
                .unwrap();
        }
    }
    text + ".\n"
}

/// What is told of blockers where the session 1:900 has the serial number 3 now, and how it was asked.
fn told_of_blockers(samples: String) -> (Vec<(String, String)>, String) {
    let server = Scripted::new(move |sql| {
        Reply::Lines(match sql {
            _ if sql.contains("'H|'") => samples.clone(),
            _ => "B|1:81,7|A\u{1f}P|inactive|batch\nB|1:900,3|APP|active|shop\n".to_owned(),
        })
    });
    let mut history = history(link(&server, Scope::All));
    assert!(history.connect().is_ok());
    let Ok(looked) = history.look() else { panic!("refused") };
    let names = &looked.samples.last().unwrap().names;
    let names = names.iter().map(|name| (name.id.to_string(), name.text.to_string())).collect();
    let asked = server.asked.lock().unwrap();
    (names, asked.iter().find(|sql| sql.contains("'B|'")).unwrap().clone())
}

#[test]
fn the_blocker_of_most_time_is_asked_for_first_wherever_its_samples_are() {
    let (names, asked) = told_of_blockers(blocked(3));
    assert!(asked.ends_with("(inst_id, sid) IN ((1, 900), (1, 81))"), "{asked}");
    let expected = [("1:81,7", "A|P, batch, inactive"), ("1:900,3", "APP, shop, active")];
    assert_eq!(names, expected.map(|(id, text)| (id.to_owned(), text.to_owned())));
}

#[test]
fn a_session_with_the_number_of_an_earlier_blocker_is_not_taken_for_it() {
    let (names, _) = told_of_blockers(blocked(2));
    let ids: Vec<&str> = names.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(ids, ["1:81,7"]);
}

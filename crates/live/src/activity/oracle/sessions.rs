//! Active sessions of Oracle, from `GV$SESSION` of all instances, or `V$SESSION` of the one connected to:
//! nothing of it needs a licence.

use std::sync::Arc;

use isotherm_formats::printable;
use isotherm_frame::{ActiveSession, CurrentWait, Nanos, ON_CPU, SessionSample};

use super::escape::{escaped, unescaped};
use super::link::Link;
use super::names::Names;
use super::scope::Scope;
use crate::activity::look::{Look, LookError, Looked, Rate};
use crate::feed::{OpenError, Stopped};
use crate::oracle::{OracleAddress, connection, instances};
use crate::pace::SteadyClock;

pub(in crate::activity) const RATE: Rate = Rate { usual_hz: 2, most_hz: 10 };

/// Rows that one round trip brings.
const ROWS: u32 = 500;
/// The name of the view.
const VIEW: &str = "session";

/// What every session does that is active and does not idle. One that waits for nothing is on CPU,
/// whatever it waited for before. The final blocker is the head of the queue (11.2 and later). A wait has a
/// number of its own and its length so far. The program comes last: it is what a client calls itself.
fn active(scope: &Scope) -> String {
    let (view, instance, only) = (scope.view("session"), scope.instance(), scope.only());
    let (event, user) = (escaped("event"), escaped("username"));
    let own = if *scope == Scope::Own {
        "sid <> SYS_CONTEXT('USERENV', 'SID')"
    } else {
        "(sid <> SYS_CONTEXT('USERENV', 'SID') OR inst_id <> SYS_CONTEXT('USERENV', 'INSTANCE'))"
    };
    format!(
        "SELECT line FROM (\n\
        SELECT 1 AS part, 'A|'||{instance}||':'||sid||','||serial#||'|'||\
        CASE WHEN state = 'WAITING' THEN wait_class ELSE 'CPU' END||'|'||\
        CASE WHEN state = 'WAITING' THEN {event} ELSE 'CPU' END||'|'||sql_id||'|'||\
        CASE WHEN state = 'WAITING' AND final_blocking_session_status = 'VALID' THEN \
        final_blocking_instance||':'||final_blocking_session END||'|'||seq#||'|'||\
        CASE WHEN state = 'WAITING' THEN wait_time_micro ELSE time_since_last_wait_micro END||'|'||\
        {user}||'|'||REPLACE(REPLACE(program, CHR(10), ' '), CHR(13), ' ') AS line\n\
        FROM {view}\n\
        WHERE status = 'ACTIVE' AND {own} \
        AND (state <> 'WAITING' OR wait_class <> 'Idle'){only}\n\
        UNION ALL\n\
        SELECT 9 AS part, '.' AS line FROM dual\n) q ORDER BY part"
    )
}

/// Looks at an instance, or at all of them.
struct Instance {
    link: Link,
    clock: SteadyClock,
    names: Names,
}

pub(in crate::activity) fn looker(
    address: &OracleAddress,
    hz: u32,
) -> Result<Box<dyn Look>, OpenError> {
    let scope = Scope::of(instances(address)?);
    let mut warning = None;
    let interval = Nanos::new(1_000_000_000 / u64::from(hz.max(1)));
    let stopped = Stopped::default();
    let connect = connection(address, interval, &stopped, &mut |text| warning = Some(text))?;
    Ok(Box::new(Instance::new(Link::new(connect, scope, warning))))
}

impl Instance {
    fn new(link: Link) -> Instance {
        Instance { link, clock: SteadyClock::new(), names: Names::default() }
    }
}

impl Look for Instance {
    fn connect(&mut self) -> Result<(), LookError> {
        self.link.connect().map_err(|error| self.link.failed(error, VIEW))
    }

    fn look(&mut self) -> Result<Looked, LookError> {
        let answer = self.link.ask_scope(VIEW, ROWS, &active);
        let answer = answer.map_err(|error| self.link.failed(error, VIEW))?;
        let found = sessions(&answer.text).map_err(LookError::Refused)?;
        let at = self.clock.read(answer.middle());
        let (sessions, waits) = found.into_iter().unzip();
        let took_ns = u64::try_from(answer.asked.elapsed().as_nanos()).unwrap_or(u64::MAX);
        let mut samples =
            vec![SessionSample { at, took_ns, sessions, waits, ..SessionSample::default() }];
        let named = self.names.add(&mut samples, &mut self.link);
        named.map_err(|error| self.link.failed(error, VIEW))?;
        Ok(Looked { samples, skipped: 0 })
    }

    fn warning(&mut self) -> Option<String> {
        self.link.warnings.pop_front()
    }
}

/// The sessions of an answer; an answer without its end, or with something else, is none.
fn sessions(text: &str) -> Result<Vec<(ActiveSession, CurrentWait)>, String> {
    let mut found = Vec::new();
    for line in text.lines() {
        if line == "." {
            return Ok(found);
        }
        let unreadable =
            || format!("V$SESSION: not what was asked for: {}", printable(line.as_bytes(), 100));
        found.push(session(line).ok_or_else(unreadable)?);
    }
    Err("V$SESSION: the answer has no end".to_owned())
}

fn session(line: &str) -> Option<(ActiveSession, CurrentWait)> {
    let mut fields = line.strip_prefix("A|")?.splitn(9, '|');
    let mut next = || {
        fields
            .next()
            .map(|field| -> Arc<str> { printable(unescaped(field).as_bytes(), 200).into() })
    };
    let (session, class, event) = (next()?, next()?, next()?);
    let (sql, blocker, number, lasted) = (next()?, next()?, next()?, next()?);
    let (user, program) = (next()?, next()?);
    let on_cpu = &*class == ON_CPU;
    let event = if on_cpu { ON_CPU.into() } else { event };
    let lasted = lasted.parse::<u64>().ok().map(|us| Nanos::new(us.saturating_mul(1_000)));
    let wait = CurrentWait { number: number.parse().unwrap_or(0), lasted };
    Some((ActiveSession { session, class, event, sql, user, program, blocker }, wait))
}

#[cfg(test)]
mod tests {
    use isotherm_frame::NameKind;

    use super::*;
    use crate::oracle::scripted::{Reply, Scripted};

    const LOOK: &str = "\
A|1:70,5|Application|enq: TX - row lock contention|7h35uxf5uhmm1|1:81|412|93000000|APP|sqlplus@web1 (TNS V1-V3)
A|2:71,9|CPU|CPU|7h35uxf5uhmm1||9|250|APP|a|b
A|1:3,1|System I/O|log file parallel write|||7|||oracle@db1 (LGWR)
.
";

    fn instance(look: &'static str) -> (Instance, Scripted) {
        let server = Scripted::new(move |sql| {
            let text = match sql {
                _ if sql.contains("'A|'") => look,
                _ if sql.contains("'Q|'") => "Q|7h35uxf5uhmm1|update t   set x = 1\n",
                _ => "B|1:81|APP|inactive|sqlplus@web2\n",
            };
            Reply::Lines(text.to_owned())
        });
        let mut instance = Instance::new(Link::new(Box::new(server.clone()), Scope::All, None));
        assert!(instance.connect().is_ok());
        (instance, server)
    }

    /// The one sample of a look.
    fn looked(instance: &mut Instance) -> SessionSample {
        let Ok(looked) = instance.look() else { panic!("refused") };
        let [sample] = <[SessionSample; 1]>::try_from(looked.samples).unwrap();
        sample
    }

    #[test]
    fn sessions_statements_and_blockers_are_asked_for_once_each() {
        let (mut instance, server) = instance(LOOK);
        let first = looked(&mut instance);
        assert_eq!(first.sessions.len(), 3);
        let blocked = &first.sessions[0];
        assert_eq!((&*blocked.blocker, &*blocked.class), ("1:81", "Application"));
        assert_eq!(&*first.sessions[1].program, "a|b", "what a client calls itself is data");
        assert_eq!((&*first.sessions[2].sql, &*first.sessions[2].user), ("", ""));
        let lasted = first.waits.iter().map(|wait| (wait.number, wait.lasted));
        let expected =
            [(412, Some(Nanos::new(93_000_000_000))), (9, Some(Nanos::new(250_000))), (7, None)];
        assert_eq!(lasted.collect::<Vec<_>>(), expected);
        let names: Vec<(NameKind, &str)> =
            first.names.iter().map(|name| (name.kind, &*name.text)).collect();
        let expected = [
            (NameKind::Sql, "update t set x = 1"),
            (NameKind::Blocker, "APP, sqlplus@web2, inactive"),
        ];
        assert_eq!(names, expected);
        let second = looked(&mut instance);
        assert_eq!(second.names, []);
        let asked = server.asked.lock().unwrap().len();
        assert_eq!(asked, 4, "two looks, one statement, one blocker");
    }

    #[test]
    fn a_bar_in_a_name_does_not_shift_the_columns() {
        let (columns, bar) = (active(&Scope::All), "REPLACE(event, '|', CHR(31))");
        assert!(columns.contains(bar) && columns.contains("REPLACE(username, '|', CHR(31))"));
        let row = "A|1:70,5|Other|a\u{1f}b|7h35uxf5uhmm1||4|9|A\u{1f}P|c|d\n.\n";
        let found = sessions(row).unwrap();
        let names = (&*found[0].0.event, &*found[0].0.user, &*found[0].0.program);
        assert_eq!(names, ("a|b", "A|P", "c|d"));
        assert_eq!(&*found[0].0.sql, "7h35uxf5uhmm1");
    }

    #[test]
    fn an_answer_that_is_cut_off_is_no_sample() {
        let cut = LOOK.strip_suffix(".\n").unwrap();
        let (mut instance, _) = instance(cut);
        assert!(matches!(instance.look(), Err(LookError::Refused(why)) if why.contains("no end")));
        assert!(sessions("A|1:70,5|CPU|CPU\n.\n").is_err(), "a row without all of its columns");
        assert_eq!(sessions(".\n"), Ok(Vec::new()));
    }

    #[test]
    fn a_view_that_may_not_be_read_is_named_with_its_grant() {
        let fail = |_: &str| crate::oracle::scripted::no_view();
        let mut instance =
            Instance::new(Link::new(Box::new(Scripted::new(fail)), Scope::Some(vec![2]), None));
        assert!(instance.connect().is_ok());
        let Err(LookError::Refused(why)) = instance.look() else { panic!("not refused") };
        assert!(why.contains("GRANT SELECT ON SYS.GV_$SESSION TO mon;"), "{why}");
        assert!(why.contains("may not read GV$SESSION"), "{why}");
    }

    #[test]
    fn all_instances_are_summed_or_some_and_where_none_may_be_seen_the_own_one() {
        let (mut all, server) = instance(LOOK);
        assert!(all.look().is_ok());
        let asked = server.asked.lock().unwrap();
        assert!(asked[0].contains("FROM gv$session\n") && !asked[0].contains("inst_id IN"));
        assert!(asked[1].contains("FROM gv$sqlstats"), "{}", asked[1]);
        assert!(asked[2].ends_with("FROM gv$session\nWHERE (inst_id, sid) IN ((1, 81))"));
        let two = active(&Scope::Some(vec![2, 3]));
        assert!(two.contains("AND inst_id IN (2, 3)\n"), "{two}");
        // Without the grant on views of all instances there is a warning, and the sessions of one.
        let server = Scripted::new(|sql| match sql {
            _ if sql.contains("gv$session") => crate::oracle::scripted::no_view(),
            _ if sql.contains("'A|'") => Reply::Lines(LOOK.to_owned()),
            _ => Reply::Lines(String::new()),
        });
        let mut own = Instance::new(Link::new(Box::new(server.clone()), Scope::All, None));
        assert!(own.connect().is_ok());
        let sample = looked(&mut own);
        assert_eq!(sample.sessions.len(), 3);
        let warning = own.warning().unwrap();
        assert!(warning.contains("GRANT SELECT ON SYS.GV_$SESSION TO mon;"), "{warning}");
        let asked = server.asked.lock().unwrap();
        assert!(asked[1].contains("FROM v$session\n"), "{}", asked[1]);
        assert!(asked.iter().skip(1).all(|sql| !sql.contains("gv$")), "{asked:?}");
    }
}

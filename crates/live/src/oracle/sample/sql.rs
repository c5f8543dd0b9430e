//! The statements that look at sessions.

use crate::oracle::poll_request::Which;

/// What every session does now. `history` adds the last ten waits of each.
///
/// The instance is the one connected to. Our own session is left out: it waits for us.
pub(super) fn look(which: &Which, history: bool) -> String {
    if which.table {
        return table(which);
    }
    let sessions = sessions(which);
    let mut parts = vec![format!(
        "SELECT 1 AS part, 'V|'||{INSTANCE}||'|'||sid||'|'||serial#||'|'||seq#||'|'||state||'|'||\
         wait_time_micro||'|'||event AS line\nFROM v$session\nWHERE {sessions}"
    )];
    if history {
        parts.push(format!(
            "SELECT 2 AS part, 'Y|'||{INSTANCE}||'|'||sid||'|'||seq#||'|'||wait_time_micro||'|'||\
             event AS line\nFROM v$session_wait_history\nWHERE {}",
            history_of(which, &sessions)
        ));
    }
    parts.push(END.to_owned());
    format!("SELECT line FROM (\n{}\n) q ORDER BY part", parts.join("\nUNION ALL\n"))
}

/// The names of idle events.
pub(super) const IDLE: &str = "SELECT name AS line FROM v$event_name WHERE wait_class = 'Idle'";

const INSTANCE: &str = "SYS_CONTEXT('USERENV', 'INSTANCE')";
const OURS: &str = "SYS_CONTEXT('USERENV', 'SID')";
const END: &str = "SELECT 9 AS part, '.' AS line FROM dual";

/// The fixed table behind the history: its rows have numbers, so none is counted twice. Nobody
/// documents it; its columns are those that scripts of others use.
fn table(which: &Which) -> String {
    let sids = match numbers(which) {
        Some(sids) => format!("kslwhsid IN ({sids})"),
        None => format!("kslwhsid IN (SELECT sid FROM v$session WHERE {})", sessions(which)),
    };
    format!(
        "SELECT line FROM (\nSELECT 1 AS part, 'V|'||{INSTANCE}||'|'||kslwhsid||'|0|'||\
         MOD(kslwhwaitid, 65536)||'|WAITED KNOWN TIME|'||kslwhetime||'|'||kslwhetext AS line\n\
         FROM x$kslwh\nWHERE {sids}\nUNION ALL\n{END}\n) q ORDER BY part"
    )
}

fn sessions(which: &Which) -> String {
    let ours = format!("sid <> {OURS}");
    let modules: Vec<String> = which.modules.iter().map(|one| one.condition("module")).collect();
    match (numbers(which), modules.join("\nOR ")) {
        (None, modules) if modules.is_empty() => format!("{ours} AND type = 'USER'"),
        (None, modules) => format!("{ours} AND ({modules})"),
        (Some(sids), modules) if modules.is_empty() => format!("sid IN ({sids})"),
        (Some(sids), modules) => format!("sid IN ({sids}) AND ({modules})"),
    }
}

/// The history knows neither modules nor types.
fn history_of(which: &Which, sessions: &str) -> String {
    if which.modules.is_empty() && !which.sids.is_empty() {
        return sessions.to_owned();
    }
    format!("sid IN (SELECT sid FROM v$session WHERE {sessions})")
}

fn numbers(which: &Which) -> Option<String> {
    let numbers: Vec<String> = which.sids.iter().map(u64::to_string).collect();
    (!numbers.is_empty()).then(|| numbers.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::pattern::Pattern;

    #[test]
    fn sessions_are_looked_at_with_or_without_their_history() {
        let which = Which { sids: vec![70, 81], ..Which::default() };
        let expected = "SELECT line FROM (
SELECT 1 AS part, 'V|'||SYS_CONTEXT('USERENV', 'INSTANCE')||'|'||sid||'|'||serial#||'|'||seq#||'|'||state||'|'||wait_time_micro||'|'||event AS line
FROM v$session
WHERE sid IN (70, 81)
UNION ALL
SELECT 9 AS part, '.' AS line FROM dual
) q ORDER BY part";
        assert_eq!(look(&which, false), expected);
        let with = look(&which, true);
        assert!(with.contains("FROM v$session_wait_history\nWHERE sid IN (70, 81)\n"), "{with}");
    }

    #[test]
    fn modules_are_data_and_users_the_default() {
        let modules = vec![Pattern::new("batch*").unwrap(), Pattern::new("o'Neil").unwrap()];
        let sql = look(&Which { modules, ..Which::default() }, true);
        let condition = "sid <> SYS_CONTEXT('USERENV', 'SID') AND (LOWER(module) LIKE 'batch%' \
                         ESCAPE '\\'\nOR LOWER(module) = 'o''neil')";
        assert!(sql.contains(&format!("FROM v$session\nWHERE {condition}\nUNION")), "{sql}");
        assert!(sql.contains(&format!("sid IN (SELECT sid FROM v$session WHERE {condition})")));
        assert!(look(&Which::default(), false).contains("'SID') AND type = 'USER'\n"));
    }

    #[test]
    fn the_fixed_table_numbers_its_waits() {
        let sql = look(&Which { sids: vec![7], table: true, ..Which::default() }, false);
        assert!(sql.contains("FROM x$kslwh\nWHERE kslwhsid IN (7)\n"), "{sql}");
        assert!(sql.contains("MOD(kslwhwaitid, 65536)||'|WAITED KNOWN TIME|'"), "{sql}");
    }
}

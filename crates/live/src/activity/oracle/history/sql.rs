//! The statements that read the active session history: columns of 11.2.

use crate::activity::oracle::escape::escaped;
use crate::activity::oracle::scope::Scope;

/// The name of the view.
pub(super) const VIEW: &str = "active_session_history";
/// How times are written.
const TIME: &str = "'YYYY-MM-DD HH24:MI:SS.FF3'";
/// The database's clock without its zone, as `SAMPLE_TIME` has it.
const NOW: &str = "CAST(SYSTIMESTAMP AS TIMESTAMP)";
/// Samples this far ahead of the clock are read later, if the clocks of a cluster differ.
const AHEAD_SECONDS: u64 = 5;

/// The samples of the last seconds: the database's clock and our session, the oldest and the newest sample that
/// each instance keeps if `with_kept`, and a row for each session of each sample. They begin at a time and not
/// at a number, so that the text stays the same and is not parsed at each poll. The program comes last: it is
/// what a client calls itself.
pub(super) fn samples(scope: &Scope, seconds: u64, with_kept: bool) -> String {
    let (view, instance, event) = (scope.view(VIEW), scope.instance(), escaped("event"));
    let time = |column: &str| format!("TO_CHAR({column}, {TIME})");
    let kept = if with_kept {
        format!(
            "SELECT 2 AS part, 'O|'||{instance}||'|'||MIN(sample_id)||'|'||{}||'|'||MAX(sample_id)||'|'||{} AS line\n\
             FROM {view}{}\nGROUP BY {}\nUNION ALL\n",
            time("MIN(sample_time)"),
            time("MAX(sample_time)"),
            scope.only_instances("WHERE"),
            instance,
        )
    } else {
        String::new()
    };
    format!(
        "SELECT line FROM (\n\
        SELECT 1 AS part, 'T|'||{}||'|'||SYS_CONTEXT('USERENV', 'INSTANCE')||':'||\
        SYS_CONTEXT('USERENV', 'SID') AS line\nFROM dual\n\
        UNION ALL\n\
        {kept}\
        SELECT 3 AS part, 'H|'||{instance}||'|'||sample_id||'|'||{}||'|'||session_id||'|'||\
        session_serial#||'|'||\
        CASE WHEN session_state = 'WAITING' THEN wait_class ELSE 'CPU' END||'|'||\
        CASE WHEN session_state = 'WAITING' THEN {event} ELSE 'CPU' END||'|'||sql_id||'|'||\
        CASE WHEN session_state = 'WAITING' AND blocking_session_status = 'VALID' THEN \
        blocking_inst_id||':'||blocking_session||\
        CASE WHEN blocking_session_serial# IS NOT NULL THEN ','||blocking_session_serial# END \
        END||'|'||seq#||'|'||\
        CASE WHEN session_type = 'FOREGROUND' THEN user_id END||'|'||\
        REPLACE(REPLACE(program, CHR(10), ' '), CHR(13), ' ') AS line\n\
        FROM {view}\n\
        WHERE sample_time > {NOW} - NUMTODSINTERVAL({seconds}, 'SECOND')\n\
        AND sample_time <= {NOW} + NUMTODSINTERVAL({AHEAD_SECONDS}, 'SECOND'){}\n\
        UNION ALL\n\
        SELECT 9 AS part, '.' AS line FROM dual\n) q ORDER BY part",
        time("SYSTIMESTAMP"),
        time("sample_time"),
        scope.only()
    )
}

/// The names of users. Everybody may read this view.
pub(super) fn users(ids: &[u64]) -> String {
    let ids: Vec<String> = ids.iter().map(u64::to_string).collect();
    format!(
        "SELECT user_id||'|'||username AS line FROM all_users WHERE user_id IN ({})",
        ids.join(", ")
    )
}

/// What switches the history on.
pub(super) const PACKS: &str =
    "SELECT value AS line FROM v$parameter WHERE name = 'control_management_pack_access'";

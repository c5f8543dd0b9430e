//! Waits for something to do: of the wait class `Idle`, or as good as that.

use std::collections::HashSet;

/// Events that a traced session or background process can write while nobody waits for the
/// database: those of the wait class `Idle` of `V$EVENT_NAME`, and those that Statspack leaves
/// out as idle (8i and 9i have no wait classes). A name is idle here only if it is so in every
/// version known: `PX Deq Credit: send blkd` and `PX Deq: Join ACK` are in some and not in others,
/// so their time is shown.
///
/// Not in the list, though often taken for idle: `SQL*Net message to client` and `SQL*Net more
/// data ...` (class Network), `SQL*Net message from dblink` (Network: this database waits for
/// another), and `log file sync` (Commit).
const IDLE: [&[u8]; 108] = [
    // Sessions of users.
    b"SQL*Net message from client",
    b"SQL*Net vector message from client",
    b"SQL*Net vector message from dblink",
    b"PL/SQL lock timer",
    b"pipe get",
    b"dispatcher timer",
    b"virtual circuit status",
    b"virtual circuit next request",
    b"shared server idle wait",
    b"pool server timer",
    b"single-task message",
    b"jobq slave wait",
    b"jobq slave TJ process wait",
    b"job scheduler coordinator slave wait",
    b"wait for unread message on broadcast channel",
    b"wait for unread message on multiple broadcast channels",
    b"Streams AQ: waiting for messages in the queue",
    b"Streams capture: waiting for archive log",
    b"HS message to agent",
    b"OLAP DML Sleep",
    // Parallel execution.
    b"PX Idle Wait",
    b"PX Deq: Execute Reply",
    b"PX Deq: Execution Msg",
    b"PX Deq: Index Merge Close",
    b"PX Deq: Index Merge Execute",
    b"PX Deq: Index Merge Reply",
    b"PX Deq: Metadata Update",
    b"PX Deq: Msg Fragment",
    b"PX Deq: Parse Reply",
    b"PX Deq: Table Q Normal",
    b"PX Deq: Table Q Sample",
    b"PX Deq: Table Q qref",
    b"PX Deq: Txn Recovery Reply",
    b"PX Deq: Txn Recovery Start",
    b"PX Deque wait",
    b"PX Deq: kdcph_mai",
    b"PX Deq: kdcphc_ack",
    // Background processes.
    b"rdbms ipc message",
    b"i/o slave wait",
    b"pmon timer",
    b"smon timer",
    b"VKTM Logical Idle Wait",
    b"VKTM Init Wait for GSGA",
    b"VKRM Idle",
    b"DIAG idle wait",
    b"Space Manager: slave idle wait",
    b"GCR sleep",
    b"PING",
    b"IORM Scheduler Slave Idle Wait",
    b"LGWR real time apply sync",
    b"LGWR worker group idle",
    b"lreg timer",
    b"OFS idle",
    b"heartbeat redo informer",
    b"heartbeat monitor sleep",
    b"class slave wait",
    b"watchdog main loop",
    b"process in prespawned state",
    b"pman timer",
    b"AQPC idle",
    b"AQ Cross Master idle",
    b"JOX Jit Process Sleep",
    b"EMON slave idle wait",
    b"Emon coordinator main loop",
    b"Emon slave main loop",
    b"REPL Apply: waiting for messages",
    b"REPL Capture/Apply: messages",
    b"Streams AQ: deallocate messages from Streams Pool",
    b"Streams AQ: delete acknowledged messages",
    b"Streams AQ: emn coordinator idle wait",
    b"Streams AQ: qmn coordinator idle wait",
    b"Streams AQ: qmn slave idle wait",
    b"Streams AQ: waiting for time management or cleanup tasks",
    b"Streams fetch slave: waiting for txns",
    // Real application clusters, storage management and standby databases.
    b"ges remote message",
    b"gcs remote message",
    b"gcs log switch idle",
    b"gc_iorm idle",
    b"ASM background timer",
    b"parallel recovery slave idle wait",
    b"parallel recovery coordinator idle wait",
    b"MRP redo arrival",
    b"LNS ASYNC archive log",
    b"LNS ASYNC dest activation",
    b"LNS ASYNC end of log",
    b"LogMiner: client waiting for transaction",
    b"LogMiner: slave waiting for activate message",
    b"LogMiner: wakeup event for builder",
    b"LogMiner: wakeup event for preparer",
    b"LogMiner: wakeup event for reader",
    b"LogMiner: generic process sleep",
    b"LogMiner: reader waiting for more redo",
    b"LogMiner: waiting for processes to soft detach",
    b"LogMiner client: transaction",
    b"LogMiner preparer: idle",
    b"LogMiner builder: idle",
    b"LogMiner reader: redo (idle)",
    b"LogMiner merger: idle",
    b"parallel recovery slave next change",
    b"DBRM Logical Idle Wait",
    b"cmon timer",
    b"fbar timer",
    b"ASM cluster membership changes",
    b"Data Guard: Gap Manager",
    b"Data Guard: Timer",
    b"LMS CR slave timer",
    b"REPL Capture/Apply: RAC AQ qmn coordinator",
    b"SCM slave idle",
];

/// How few characters of a name text reports print, which cut the rest off.
const SHORTEST_CUT: usize = 26;
/// How many characters the widest column for names has.
const LONGEST_CUT: usize = 30;

/// Whether nobody waits for the database during a wait for this event.
pub fn is_idle(event: &[u8]) -> bool {
    IDLE.contains(&event)
}

/// The same for a name that text reports may have cut off.
pub fn is_idle_if_cut(event: &str) -> bool {
    let cut = (SHORTEST_CUT..=LONGEST_CUT).contains(&event.chars().count());
    is_idle(event.as_bytes()) || cut && IDLE.iter().any(|name| name.starts_with(event.as_bytes()))
}

/// The idle events of a list that is sorted by name with the idle ones last, as AWR reports sort
/// theirs: those behind the only place where the order of names begins anew. `None` if there is no
/// such place, or if too few names behind it are known to be idle to trust it.
pub(crate) fn idle_by_order<'a>(names: impl Iterator<Item = &'a str>) -> Option<HashSet<&'a str>> {
    let names: Vec<&str> = names.collect();
    let anew = |pair: &[&str]| pair.first() > pair.last();
    let mut places = names.windows(2).enumerate().filter(|(_, pair)| anew(pair));
    let (before, _) = places.next()?;
    let (busy, idle) = names.split_at(before + 1);
    let known = |names: &[&str]| names.iter().filter(|name| is_idle_if_cut(name)).count();
    let trusted = places.next().is_none() && 4 * known(idle) >= 3 * idle.len() && known(busy) == 0;
    trusted.then(|| idle.iter().copied().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_listed_once_and_waits_for_the_database_are_not() {
        let mut names = IDLE.to_vec();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), IDLE.len());
        assert!(names.iter().all(|name| name.len() >= 4 && name.is_ascii()));
        assert!(is_idle(b"SQL*Net message from client") && is_idle(b"PL/SQL lock timer"));
        for busy in ["SQL*Net message to client", "SQL*Net message from dblink", "log file sync"] {
            assert!(!is_idle(busy.as_bytes()), "{busy}");
        }
    }

    #[test]
    fn names_that_reports_cut_off_are_known() {
        assert!(is_idle_if_cut("SQL*Net message from client"));
        // Both are cut to 26 characters in text; only one of them is idle.
        assert!(is_idle_if_cut("SQL*Net message from clien"));
        assert!(!is_idle_if_cut("SQL*Net message from dblin"));
        assert!(!is_idle_if_cut("PX Deq"));
    }

    #[test]
    fn a_report_that_lists_idle_events_last_tells_them_itself() {
        let idle_of = |names: &[&'static str]| idle_by_order(names.iter().copied());
        let sorted =
            ["a", "db file scattered read", "new idle thing", "pmon timer", "rdbms ipc message"];
        assert_eq!(idle_of(&sorted), None, "nothing begins anew");
        let report = ["log file sync", "DIAG idle wait", "a new one", "pmon timer", "smon timer"];
        assert_eq!(idle_of(&report), Some(report[1..].iter().copied().collect::<HashSet<_>>()));
        // Sorted by another order of letters, or by nothing.
        assert_eq!(idle_of(&["DFS lock handle", "db file read", "Disk file", "pmon timer"]), None);
        assert_eq!(idle_of(&["pmon timer", "db file scattered read", "log file sync"]), None);
        assert_eq!(idle_of(&["b", "a", "c", "b"]), None);
    }
}

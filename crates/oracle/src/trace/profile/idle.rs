//! Waits for something to do.

/// Events that a traced session or background process can write while nobody waits for the
/// database: those of the wait class `Idle` of `V$EVENT_NAME`, and those that Statspack leaves
/// out as idle (8i and 9i have no wait classes). A name is idle here only if it is so in every
/// version known: `PX Deq Credit: send blkd` was idle once and is not now, so its time is shown.
///
/// Not in the list, though often taken for idle: `SQL*Net message to client` and `SQL*Net more
/// data ...` (class Network), `SQL*Net message from dblink` (Network: this database waits for
/// another), and `log file sync` (Commit).
const IDLE: [&[u8]; 103] = [
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
    b"PX Deq: Join ACK",
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
];

/// Whether nobody waited for the database during such a wait.
pub(super) fn is_idle(event: &[u8]) -> bool {
    IDLE.contains(&event)
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
        assert!(is_idle(b"SQL*Net message from client") && is_idle(b"PL/SQL lock timer"));
        for busy in ["SQL*Net message to client", "SQL*Net message from dblink", "log file sync"] {
            assert!(!is_idle(busy.as_bytes()), "{busy}");
        }
    }
}

//! How often does a statement call the server?

mod calls;
mod counted;
mod measure;
mod meter;
mod proxy;
mod report;
mod scenario;
mod server_log;
mod session;
mod traced;
mod traced_report;
mod wire;

use isotherm_frame::Nanos;

use crate::server::Server;
use crate::{Bench, Finding, Lab, LabError, OnServer};
pub use traced::Traced;

pub(crate) static LAB: Lab = Lab {
    name: "user-calls",
    question: "How often does a client call the server for one statement?",
    method: "Sends statements to PostgreSQL through a proxy on loopback that reads the protocol, with array \
             sizes of 1 to 500 rows a fetch, and counts the calls by the proxy, by the client and by the \
             server's log; or counts PARSE, EXEC and FETCH in SQL traces of Oracle",
    lesson: &[
        "A user call is a call of the client, in Oracle PARSE, EXEC or FETCH. A query has one of the first \
         two each, and ceil(rows / array) fetches, where the array is the number of rows that one fetch \
         takes (arraysize in SQL*Plus, setFetchSize in JDBC, prefetch in OCI). For 71,353 rows of Oracle \
         4,759 calls were published with arrays of 15, and 359 with arrays of 200: 2 + ceil(71,353 / array).",
        "PostgreSQL has the same in its extended protocol. Parse prepares, Bind opens a portal (a cursor), \
         and each Execute takes at most an array of rows from it. So a query has the same calls: Parse for \
         PARSE, Bind for EXEC, Execute for FETCH. One fetch is added where the rows are a multiple of the \
         array, because a full array does not say that it was the last. No rows at all are one fetch.",
        "Without rows, Bind and Execute together are EXEC: DDL, an insert or an anonymous block (DO) are 2 \
         calls, as published. What the server runs by itself, such as the statements of a trigger, a \
         function, a block or a procedure, is no call of a user (published: 0). For a procedure 3 calls \
         were published. CALL has 2, and a third with an OUT parameter, which PostgreSQL sends as a row. \
         Whether that is Oracle's third is not known here.",
        "Some of it PostgreSQL does not have. There is no statistic of user calls: its log names each \
         message with log_min_duration_statement = 0, and that has to be counted. Most clients \
         ask for all rows at once, so that there is no array, or use the simple protocol, which has one \
         message (Query) for everything.",
        "A call is not a round trip: messages that are sent together are answered together. What a client \
         waits for is the round trip, and what an array saves is that wait: at half a millisecond on the \
         network, 4,757 of them are 2.4 s, and 357 are 0.2 s. Beyond some hundred rows little is left to \
         save.",
    ],
    needs: "PostgreSQL: one that is installed here is started for the run, or --server names one; or SQL traces \
            of Oracle with --measured",
    takes: (Nanos::from_millis(10_000), Nanos::from_millis(50_000)),
    disk: 1 << 28,
    takes_events: false,
    takes_traces: true,
    on_server: Some(OnServer {
        does: "It needs a superuser: the server sends its messages of the log about the lab's session to the lab \
               (client_min_messages), and keeps them out of its log. What is said goes through a proxy, \
               unencrypted.",
        disturbs: false,
        oracle: "a proxy that understands Oracle's protocol; --measured counts the calls of an SQL trace",
    }),
    run,
};

fn run(bench: &mut Bench<'_>) -> Result<Finding, LabError> {
    if let Some(traced) = bench.traced {
        bench.step(0.0, "counting calls")?;
        return traced_report::finding(traced);
    }
    let server = Server::ready(bench)?;
    let found = measure::count(&server, bench)?;
    Ok(report::finding(&found, &server))
}

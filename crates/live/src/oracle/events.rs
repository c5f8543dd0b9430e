//! Which wait events a database has had.

use isotherm_formats::printable;
use isotherm_frame::Nanos;

use crate::feed::{OpenError, Stopped};
use crate::wait_event::{self, WaitEvent};

use super::connection::connection;
use super::grants::{grants, user_of};
use super::{OracleAddress, Session, SessionError};

/// The wait events of the database at `address`, those waited for longest first. What the user
/// should know is given to `warn`. Blocks until there is an answer or the driver gives up.
pub fn wait_events(
    address: &OracleAddress,
    warn: &mut dyn FnMut(String),
) -> Result<Vec<WaitEvent>, OpenError> {
    let mut connect = connection(address, Nanos::SECOND, &Stopped::default(), warn)?;
    let name = connect.name().to_owned();
    let listed = connect
        .connect()
        .and_then(|mut session| list(session.as_mut(), &name, &address.options.inst));
    listed.map_err(|error| OpenError::Server(error.to_string()))
}

/// The numbers and names of the wait events of the instance at `address`: they differ from release
/// to release. Blocks like [`wait_events`].
pub fn event_names(
    address: &OracleAddress,
    warn: &mut dyn FnMut(String),
) -> Result<Vec<(u32, String)>, OpenError> {
    let mut connect = connection(address, Nanos::SECOND, &Stopped::default(), warn)?;
    let name = connect.name().to_owned();
    let found = connect.connect().and_then(|mut session| numbered(session.as_mut(), &name));
    found.map_err(|error| OpenError::Server(error.to_string()))
}

/// As many rows as releases have events, so that they come in one round trip.
const ROWS: u32 = 2_500;

fn numbered(session: &mut dyn Session, name: &str) -> Result<Vec<(u32, String)>, SessionError> {
    const SQL: &str = "SELECT 'N|'||event#||'|'||name AS line FROM v$event_name";
    let mut names = Vec::new();
    let read = |line: &str| {
        let (number, name) = line.strip_prefix("N|")?.split_once('|')?;
        Some((number.parse().ok()?, printable(name.as_bytes(), 100)))
    };
    match session.lines(SQL, ROWS, &mut |line| names.extend(read(line))) {
        Ok(()) => Ok(names),
        Err(SessionError::Sql { code: 942, .. }) => {
            let grants = grants(&["v$event_name".to_owned()], user_of(name));
            let text =
                format!("{name} may not read V$EVENT_NAME; a DBA can allow it with\n{grants}");
            Err(SessionError::Refused(text))
        }
        Err(error) => Err(error),
    }
}

/// The events of these instances, or of all.
fn list(
    session: &mut dyn Session,
    name: &str,
    instances: &[u32],
) -> Result<Vec<WaitEvent>, SessionError> {
    let (global, own) = ("gv$system_event", "v$system_event");
    let numbers: Vec<String> = instances.iter().map(u32::to_string).collect();
    // The instance connected to may be another than the one that is asked for.
    let (views, only) = match numbers.as_slice() {
        [] => (vec![global, own], String::new()),
        _ => (vec![global], format!(" WHERE inst_id IN ({})", numbers.join(", "))),
    };
    for view in &views {
        let sql = format!(
            "SELECT 'E|'||wait_class||'|'||waits||'|'||micros||'|'||event AS line FROM (\n\
             SELECT event, wait_class, SUM(total_waits) AS waits, SUM(time_waited_micro) AS micros\n\
             FROM {view}{only} GROUP BY event, wait_class\n) q ORDER BY micros DESC"
        );
        let mut events = Vec::new();
        match session.lines(&sql, ROWS, &mut |line| events.extend(read(line))) {
            Ok(()) => {
                // The server's order, unless it is one that does not sort.
                wait_event::sort(&mut events);
                return Ok(events);
            }
            Err(SessionError::Sql { code: 942, .. }) => {}
            Err(error) => return Err(error),
        }
    }
    let asked: Vec<String> = views.iter().map(|view| (*view).to_owned()).collect();
    let (grants, view) = (grants(&asked, user_of(name)), views[views.len() - 1].to_uppercase());
    let text = format!("{name} may not read {view}; a DBA can allow it with\n{grants}");
    Err(SessionError::Refused(text))
}

/// Reads `E|class|waits|micros|event`.
fn read(line: &str) -> Option<WaitEvent> {
    let mut fields = line.strip_prefix("E|")?.splitn(4, '|');
    let class = printable(fields.next()?.as_bytes(), 64);
    let (waits, micros) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    let name = printable(fields.next()?.as_bytes(), 100);
    Some(WaitEvent { name, class, waits: Some(waits), micros: Some(micros) })
}

#[cfg(test)]
mod tests {
    use super::super::Connect as _;
    use super::super::scripted::{Reply, Scripted, no_view};
    use super::*;

    #[test]
    fn instances_that_are_named_are_not_replaced_by_the_one_connected_to() {
        let mut server = Scripted::new(|sql| {
            let others = "E|Commit|10|5000|log file sync\n";
            if sql.contains("FROM gv$") { no_view() } else { Reply::Lines(others.to_owned()) }
        });
        let mut session = server.connect().expect("connected");
        let Err(SessionError::Refused(why)) = list(session.as_mut(), "mon@db/S", &[2]) else {
            panic!("the events of another instance")
        };
        assert!(why.contains("may not read GV$SYSTEM_EVENT"), "{why}");
        let asked = server.asked.lock().expect("no panic").clone();
        assert!(asked.iter().all(|sql| sql.contains("WHERE inst_id IN (2)")), "{asked:?}");
    }

    fn listed(mut server: Scripted) -> Result<Vec<WaitEvent>, SessionError> {
        let mut session = server.connect().expect("connected");
        list(session.as_mut(), "mon@db/S", &[])
    }

    #[test]
    fn events_are_listed_by_time_waited() {
        let server = Scripted::new(|sql| match sql {
            _ if sql.contains("gv$") => no_view(),
            _ => Reply::Lines(
                "E|Commit|10|5000|log file sync\nE||0|0|a|b\nE|User I/O|4|9001|read\nnoise\n"
                    .into(),
            ),
        });
        let events = listed(server).expect("listed");
        let shown: Vec<_> =
            events.iter().map(|event| (event.name.as_str(), event.class.as_str())).collect();
        assert_eq!(shown, [("read", "User I/O"), ("log file sync", "Commit"), ("a|b", "")]);
        let means: Vec<_> = events.iter().map(WaitEvent::mean).collect();
        let micros = Nanos::from_micros;
        assert_eq!(means, [Some(Nanos::new(2_250_250)), Some(micros(500)), None]);
    }

    #[test]
    fn events_have_numbers_of_their_instance() {
        let mut server = Scripted::new(|sql| match sql {
            _ if sql.contains("v$event_name") => {
                Reply::Lines("N|152|db file sequential read\nnoise\nN|7|a|b\nN|x|y\n".into())
            }
            _ => no_view(),
        });
        let names = numbered(server.connect().expect("connected").as_mut(), "mon@db/S");
        let expected = vec![(152, "db file sequential read".to_owned()), (7, "a|b".to_owned())];
        assert_eq!(names.expect("names"), expected);
        let mut server = Scripted::new(|_| no_view());
        let error = numbered(server.connect().expect("connected").as_mut(), "mon@db/S");
        let error = error.expect_err("refused").to_string();
        assert!(error.contains("GRANT SELECT ON SYS.V_$EVENT_NAME TO mon;"), "{error}");
    }

    #[test]
    fn who_may_not_read_them_learns_the_grant() {
        let error = listed(Scripted::new(|_| no_view())).expect_err("refused").to_string();
        assert!(error.contains("GRANT SELECT ON SYS.GV_$SYSTEM_EVENT TO mon;"), "{error}");
    }
}

//! Oracle: `V$BH` of the instance connected to, or `X$BH`, counted by object on the server.

use isotherm_formats::BufferContents;
use isotherm_formats::buffers::oracle::contents;
use isotherm_frame::Nanos;

use super::question::BufferQuestion;
use super::server::BufferServer;
use crate::feed::{OpenError, Stopped};
use crate::oracle::{
    Answer, Connect, OracleAddress, Session, SessionError, connection, grants, no_instances,
    user_of,
};

/// Rows that one round trip brings.
const ROWS: u32 = 1_000;
/// ORA-00942: what exists may not be read, or does not exist.
const NO_SUCH_VIEW: u32 = 942;
/// What `V$BH` is read with.
const VIEWS: [&str; 3] = ["v$instance", "v$bh", "dba_objects"];

/// Buffers by state, whether they are dirty, class of block and object. Several objects in a cluster have
/// one number: the cluster's name is taken, or the oldest. Names come last: they may hold any character.
const STATES_SQL: &str = "SELECT line FROM (\n\
    SELECT 1 AS part, 'I|'||i.version||'|'||i.instance_name AS line FROM v$instance i\n\
    UNION ALL\n\
    SELECT 2 AS part, 'B|'||b.status||'|'||b.dirty||'|'||b.buffers||'|'||b.class#||'|'||b.objd||'|'||\
    o.name AS line\n\
    FROM (SELECT status, dirty, class#, objd, COUNT(*) AS buffers FROM v$bh\n\
    GROUP BY status, dirty, class#, objd) b\n\
    LEFT JOIN (SELECT data_object_id, MIN(object_type||'|'||owner||'.'||object_name||\
    NVL2(subobject_name, ' '||subobject_name, '')) KEEP (DENSE_RANK FIRST ORDER BY \
    DECODE(object_type, 'CLUSTER', 0, 1), object_id) AS name\n\
    FROM dba_objects WHERE data_object_id IS NOT NULL GROUP BY data_object_id) o\n\
    ON o.data_object_id = b.objd\n\
    UNION ALL\n\
    SELECT 9 AS part, '.' AS line FROM dual\n) q ORDER BY part";

/// The same by touches. A free buffer has state 0; bit 0 of the flag is dirty. Touches are sent in
/// classes: 0, 1, 2, 3 to 4, 5 to 9, 10 to 19, 20 to 49, 50 and more.
const TOUCHES_SQL: &str = "SELECT line FROM (\n\
    SELECT 1 AS part, 'I|'||i.version||'|'||i.instance_name AS line FROM v$instance i\n\
    UNION ALL\n\
    SELECT 2 AS part, 'B|'||b.touches||'|'||b.dirty||'|'||b.buffers||'|'||b.class||'|'||b.obj||'|'||\
    o.name AS line\n\
    FROM (SELECT touches, dirty, class, obj, COUNT(*) AS buffers FROM (SELECT CASE WHEN state = 0 \
    THEN 'free' WHEN tch <= 2 THEN TO_CHAR(tch) WHEN tch <= 4 THEN '3' WHEN tch <= 9 THEN '5' \
    WHEN tch <= 19 THEN '10' WHEN tch <= 49 THEN '20' ELSE '50' END AS touches, \
    DECODE(BITAND(flag, 1), 1, 'Y', 'N') AS dirty, class, obj FROM x$bh)\n\
    GROUP BY touches, dirty, class, obj) b\n\
    LEFT JOIN (SELECT data_object_id, MIN(object_type||'|'||owner||'.'||object_name||\
    NVL2(subobject_name, ' '||subobject_name, '')) KEEP (DENSE_RANK FIRST ORDER BY \
    DECODE(object_type, 'CLUSTER', 0, 1), object_id) AS name\n\
    FROM dba_objects WHERE data_object_id IS NOT NULL GROUP BY data_object_id) o\n\
    ON o.data_object_id = b.obj\n\
    UNION ALL\n\
    SELECT 9 AS part, '.' AS line FROM dual\n) q ORDER BY part";

struct Instance {
    session: Box<dyn Session>,
    name: String,
    touches: bool,
}

/// What is asked of this address.
pub(super) fn statement(
    address: &OracleAddress,
    question: BufferQuestion,
) -> Result<&'static str, OpenError> {
    no_instances(address)?;
    if question.totals_only {
        let text = "--totals is about PostgreSQL; Oracle has no cheaper way: leave it out";
        return Err(OpenError::Option(text.into()));
    }
    Ok(if question.touches { TOUCHES_SQL } else { STATES_SQL })
}

pub(super) fn open(
    address: &OracleAddress,
    question: BufferQuestion,
) -> Result<Box<dyn BufferServer>, OpenError> {
    statement(address, question)?;
    let stopped = Stopped::default();
    let connect = connection(address, Nanos::SECOND, &stopped, &mut |_| {})?;
    Ok(Box::new(logged_on(connect, question.touches)?))
}

fn logged_on(mut connect: Box<dyn Connect>, touches: bool) -> Result<Instance, OpenError> {
    let name = connect.name().to_owned();
    let session = connect.connect().map_err(|error| failed(error, (&name, touches)))?;
    Ok(Instance { session, name, touches })
}

fn failed(error: SessionError, (name, touches): (&str, bool)) -> OpenError {
    OpenError::Server(match error {
        SessionError::Sql { code: NO_SUCH_VIEW, .. } if touches => format!(
            "{name} may not read X$BH: only SYS may. Log on with ?as=sysdba, or leave out --touches for \
             V$BH, which can be granted"
        ),
        SessionError::Sql { code: NO_SUCH_VIEW, .. } => {
            let grants = grants(&VIEWS.map(str::to_owned), user_of(name));
            format!("{name} may not read V$BH; a DBA can allow it with\n{grants}")
        }
        SessionError::Lost(why)
        | SessionError::Refused(why)
        | SessionError::Sql { message: why, .. } => why,
    })
}

impl BufferServer for Instance {
    fn read(&mut self) -> Result<BufferContents, OpenError> {
        let sql = if self.touches { TOUCHES_SQL } else { STATES_SQL };
        let answer = Answer::to(sql, ROWS, self.session.as_mut())
            .map_err(|error| failed(error, (&self.name, self.touches)))?;
        let mut contents = contents(&answer.text, self.touches).map_err(OpenError::Server)?;
        let took = answer.answered - answer.asked;
        contents.took = Nanos::new(u64::try_from(took.as_nanos()).unwrap_or(u64::MAX));
        Ok(contents)
    }
}

#[cfg(test)]
#[path = "oracle_tests.rs"]
mod tests;

//! What the server says: the messages of TTC that a thin driver reads. A number that is zero is
//! one zero byte, and most are.

use crate::encode::Writer;
use crate::value::{Column, Value};
use crate::verifier::{Pair, Verifier};

const DESCRIBE: u8 = 16;
const ROW_HEADER: u8 = 6;
const ROW: u8 = 7;
const END: u8 = 4;
const PARAMETERS: u8 = 8;
const END_OF_RESPONSE: u8 = 29;

/// UTF-8 in Oracle's numbering of character sets.
const UTF8: u16 = 873;
/// The version of the fields in messages: that of 19c.
const FIELD_VERSION: u8 = 12;
/// Whether native network encryption and the like are used on a connection.
const NO_SERVICES: u8 = 0x04;
const SERVICES_REQUIRED: u8 = 0x10;
/// The most that one packet of the transport may have.
const LARGEST_TRANSPORT: u32 = 2 << 20;
/// The error that says that all rows have been fetched.
const NO_MORE_ROWS: u32 = 1403;

/// Rows that are being fetched.
pub(crate) struct Open {
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: std::vec::IntoIter<Vec<Value>>,
}

/// The body of an ACCEPT packet.
pub(crate) fn accept(version: u16, encryption_required: bool, flags: u32, sdu: u32) -> Vec<u8> {
    let mut body = Writer::default();
    let services = if encryption_required { SERVICES_REQUIRED } else { NO_SERVICES };
    let short = u16::try_from(sdu).unwrap_or(u16::MAX);
    body.u16(version).zeros(2).u16(short).u16(u16::MAX).u16(1).zeros(2).u16(45);
    body.u8(services).u8(services).zeros(8);
    body.u32(sdu).u32(LARGEST_TRANSPORT).zeros(1).u32(flags);
    body.into_bytes()
}

/// The body of a REFUSE packet with an ORA- number.
pub(crate) fn refuse(code: u32) -> Vec<u8> {
    let text = format!(
        "(DESCRIPTION=(TMP=)(VSNNUM=318767104)(ERR={code})\
         (ERROR_STACK=(ERROR=(CODE={code})(EMFI=4))))"
    );
    let mut body = Writer::default();
    body.zeros(2).u16(u16::try_from(text.len()).unwrap_or(0)).raw(text.as_bytes());
    body.into_bytes()
}

/// What character sets and capabilities the server has. Damaged, it claims to describe its
/// formats in fewer bytes than it does.
pub(crate) fn protocol(damaged: bool, verifier: Verifier) -> Vec<u8> {
    let mut answer = Writer::default();
    answer.raw(&[1, 6, 0]).raw(b"fake-oracle\0").raw(&UTF8.to_le_bytes()).u8(1).zeros(2);
    answer.u16(if damaged { 5 } else { 11 }).zeros(5).raw(&[0, 0]).zeros(2).u16(2000);
    answer.text(&capabilities(verifier)).text(&[2, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0]);
    answer.into_bytes()
}

/// What the server understands, each at its place. Clients read messages by it.
fn capabilities(verifier: Verifier) -> [u8; 45] {
    let mut capabilities = [0; 45];
    // Logons with verifiers of 11g, whose keys fill no further block, and of 12c.
    capabilities[4] = if verifier == Verifier::Pbkdf2 { 0x20 } else { 0 } | 0x08 | 0x02;
    capabilities[7] = FIELD_VERSION;
    // Answers say how the call ended, and which it was.
    capabilities[15] = 1;
    capabilities[16] = 1;
    // Numbers of data types have two bytes.
    capabilities[27] = 1;
    // Pieces of long texts may be longer than a byte can tell.
    capabilities[37] = 0x20;
    capabilities
}

/// No conversions of data types.
pub(crate) fn data_types() -> Vec<u8> {
    vec![2, 0, 0]
}

/// Parameters of the logon.
pub(crate) fn parameters(answer: &mut Writer, pairs: &[Pair]) {
    answer.u8(PARAMETERS).count(pairs.len());
    for (key, value, flags) in pairs {
        answer.counted(key.as_bytes()).counted(value.as_bytes()).number(*flags);
    }
}

/// The release that the server says it is, as a number and as text.
pub(crate) const VERSION: (u64, &str) = (0x1300_0000, "318767104");

/// The release of the server.
pub(crate) fn version(answer: &mut Writer) {
    let text = b"Oracle Database 19c Enterprise Edition Release 19.0.0.0.0 - fake-oracle";
    answer.u8(PARAMETERS).count(text.len()).text(text).number(VERSION.0);
}

/// What the columns of an answer are. With `long_scales` the scale of
/// numbers and timestamps is a number after its length.
pub(crate) fn describe(answer: &mut Writer, columns: &[Column], long_scales: bool) {
    answer.u8(DESCRIBE).number(0).number(4000).count(columns.len());
    if !columns.is_empty() {
        answer.u8(0);
    }
    for (position, column) in columns.iter().enumerate() {
        let (kind, size, name) = (column.kind(), column.size(), column.name());
        let text = column.is_text();
        answer.u8(kind).zeros(2);
        match (long_scales, column.scale()) {
            (true, 129) => answer.raw(&[0x81, 127]),
            (true, scale) if scale > 0 => answer.raw(&[1, scale]),
            (_, scale) => answer.u8(scale),
        };
        answer.number(size).zeros(4);
        answer.number(if text { u64::from(UTF8) } else { 0 }).u8(u8::from(text)).number(size);
        answer.number(0).u8(1).u8(0).counted(name.as_bytes());
        answer.zeros(2).count(position + 1).number(0);
    }
    answer.zeros(6);
}

/// What comes of executing a statement besides its rows: times of the system that nobody looks at,
/// and the cursor.
pub(crate) fn executed(answer: &mut Writer, cursor: u64) {
    answer.u8(PARAMETERS).number(6).number(0).number(0).number(cursor).zeros(3);
    answer.number(0).number(0).number(0);
}

/// The next rows, at most so many, and whether there are more.
pub(crate) fn rows(answer: &mut Writer, open: &mut Open, most: u64, cursor: u64, executed: bool) {
    answer.u8(ROW_HEADER).u8(0).zeros(6);
    let mut sent = 0;
    while sent < most
        && let Some(row) = open.rows.next()
    {
        answer.u8(ROW);
        for (column, value) in open.columns.iter().zip(&row) {
            value.write(column, answer);
        }
        sent += 1;
    }
    if executed {
        self::executed(answer, cursor);
    }
    if sent < most {
        end(answer, NO_MORE_ROWS, "no data found", cursor);
    } else {
        end(answer, 0, "", cursor);
    }
}

/// Ends an answer, with success (0) or an ORA- number and its text.
pub(crate) fn end(answer: &mut Writer, code: u32, text: &str, cursor: u64) {
    ended(answer, code, cursor, 0);
    if code != 0 {
        answer.text(format!("ORA-{code:05}: {text}\n").as_bytes());
    }
}

/// Ends an answer to a statement that changed so many rows.
pub(crate) fn done(answer: &mut Writer, cursor: u64, rows: u64) {
    ended(answer, 0, cursor, rows);
}

fn ended(answer: &mut Writer, code: u32, cursor: u64, rows: u64) {
    let code = u64::from(code);
    answer.u8(END).zeros(3).number(code).zeros(2).number(cursor).zeros(12);
    let call_number = answer.call_number;
    answer.number(0).u8(0).u8(call_number).zeros(6).number(code).number(rows);
}

/// Marks the end of an answer for clients that were told to look for it.
pub(crate) fn mark_end(answer: &mut Writer) {
    answer.u8(END_OF_RESPONSE);
}

//! What a client asks: the messages of TTC that a thin driver sends.

use crate::decode::Reader;

const PROTOCOL: u8 = 1;
const DATA_TYPES: u8 = 2;
const FUNCTION: u8 = 3;
const PIGGYBACK: u8 = 17;
/// The option of an execute message without which it only fetches.
const EXECUTE: u64 = 0x20;

/// Who logged on, from where and how.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Logon {
    /// The user name.
    pub user: String,
    /// Logon modes as the protocol has them: 0x20 is SYSDBA, 0x40 SYSOPER.
    pub mode: u64,
    /// What V$SESSION shows as PROGRAM, MACHINE and so on, by the protocol's names.
    pub about: Vec<(String, String)>,
    /// The connect descriptor the driver sent.
    pub descriptor: String,
    /// Whether the driver sends the characters of names and statements without their length in
    /// front, as those of Oracle for Java and of others for Go do.
    pub(crate) bare: bool,
}

impl Logon {
    /// What was said under one of the protocol's names, such as `AUTH_PROGRAM_NM`.
    pub fn said(&self, name: &str) -> Option<&str> {
        self.about.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// A message of the client.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Request {
    /// Begins to talk, with the name of the driver.
    Protocol(String),
    DataTypes,
    /// Begins to log on.
    LogonBegin(Logon),
    /// Sends the proof of the password.
    LogonProof(Logon),
    /// Parses and executes a statement, and fetches so many rows.
    Execute {
        sql: String,
        rows: u64,
        binds: Vec<Vec<u8>>,
    },
    /// Executes the statement of a cursor again, and fetches so many rows.
    Again {
        cursor: u64,
        rows: u64,
        binds: Vec<Vec<u8>>,
    },
    Fetch {
        cursor: u64,
        rows: u64,
    },
    /// Fetches the first rows of what was only described so far.
    Define {
        cursor: u64,
        rows: u64,
    },
    /// Ping, commit, rollback: only success is answered.
    Plain,
    /// Asks for the release of the server.
    Version,
    Logoff,
    /// A function that is not known here.
    Unknown(u8),
}

/// A request, and what came with it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Received {
    pub(crate) request: Request,
    /// What V$SESSION is to show.
    pub(crate) attributes: Vec<String>,
    /// The number of the call, which the end of its answer repeats.
    pub(crate) call_number: u8,
}

/// Reads one request, with the modules and actions that were sent along. `None` if it goes on in
/// the next packet. `bare` is as in [`Logon`].
pub(crate) fn read(bytes: &[u8], bare: bool) -> Option<Received> {
    let reader = &mut Reader::new(bytes);
    let mut along = Vec::new();
    let mut call_number = 0;
    loop {
        let request = match reader.u8()? {
            PROTOCOL => Request::Protocol(driver(reader)?),
            DATA_TYPES => Request::DataTypes,
            PIGGYBACK => {
                let (code, _) = function(reader)?;
                along.extend(piggyback(reader, code)?);
                continue;
            }
            FUNCTION => {
                let (code, number) = function(reader)?;
                call_number = number;
                call(reader, code, bare)?
            }
            other => Request::Unknown(other),
        };
        return Some(Received { request, attributes: along, call_number });
    }
}

/// The name of the driver, after the versions of the protocol that it speaks.
fn driver(reader: &mut Reader) -> Option<String> {
    while reader.u8()? != 0 {}
    let mut name = Vec::new();
    loop {
        match reader.u8()? {
            0 => return Some(String::from_utf8_lossy(&name).into_owned()),
            letter => name.push(letter),
        }
    }
}

/// A function code and the number of the call.
fn function(reader: &mut Reader) -> Option<(u8, u8)> {
    Some((reader.u8()?, reader.u8()?))
}

fn call(reader: &mut Reader, code: u8, bare: bool) -> Option<Request> {
    Some(match code {
        118 => Request::LogonBegin(logon(reader)?),
        115 => Request::LogonProof(logon(reader)?),
        94 => execute(reader, bare)?,
        4 | 78 => again(reader)?,
        5 => Request::Fetch { cursor: reader.number()?, rows: reader.number()? },
        14 | 15 | 147 => Request::Plain,
        9 => Request::Logoff,
        59 => Request::Version,
        other => Request::Unknown(other),
    })
}

fn logon(reader: &mut Reader) -> Option<Logon> {
    reader.u8()?;
    let length = reader.number()?;
    let mode = reader.number()?;
    reader.u8()?;
    let pairs = reader.number()?;
    reader.raw(2)?;
    let bare = length > 0 && u64::from(reader.peek()?) != length;
    let user = characters(reader, length, bare)?;
    let mut about = Vec::new();
    for _ in 0..pairs {
        let key = reader.counted()?;
        let value = reader.counted()?;
        reader.number()?;
        about.push((key, value));
    }
    Some(Logon { user, mode, about, descriptor: String::new(), bare })
}

/// So many characters, with their length before them unless they are bare.
fn characters(reader: &mut Reader, length: u64, bare: bool) -> Option<String> {
    let bytes = match (length, bare) {
        (0, _) => Vec::new(),
        (_, true) => reader.raw(usize::try_from(length).ok()?)?.to_vec(),
        (_, false) => reader.text()?,
    };
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The execute message of a cursor: whatever follows are the values bound.
fn again(reader: &mut Reader) -> Option<Request> {
    let (cursor, rows) = (reader.number()?, reader.number()?);
    reader.numbers(2)?;
    let mut binds = Vec::new();
    if !reader.is_empty() {
        reader.u8()?;
        while !reader.is_empty() {
            binds.push(reader.text()?);
        }
    }
    Some(Request::Again { cursor, rows, binds })
}

/// What the values bound are, and then one row of them.
fn bound(reader: &mut Reader, count: u64) -> Option<Vec<Vec<u8>>> {
    for _ in 0..count {
        reader.raw(4)?;
        reader.numbers(6)?;
        reader.u8()?;
        reader.numbers(2)?;
    }
    if count > 0 {
        reader.u8()?;
    }
    (0..count).map(|_| reader.text()).collect()
}

/// The execute message: thirteen numbers follow the statement, and then the values bound.
fn execute(reader: &mut Reader, bare: bool) -> Option<Request> {
    let options = reader.number()?;
    let cursor = reader.number()?;
    reader.u8()?;
    let length = reader.number()?;
    reader.u8()?;
    reader.number()?;
    reader.raw(2)?;
    reader.number()?;
    let rows = reader.number()?;
    reader.number()?;
    reader.u8()?;
    let binds = reader.number()?;
    reader.raw(7)?;
    reader.number()?;
    reader.raw(3)?;
    reader.number()?;
    reader.u8()?;
    reader.numbers(2)?;
    reader.u8()?;
    reader.number()?;
    reader.raw(2)?;
    reader.number()?;
    reader.u8()?;
    reader.number()?;
    reader.raw(2)?;
    reader.number()?;
    if length == 0 {
        reader.numbers(13)?;
        if options & EXECUTE == 0 {
            return Some(Request::Define { cursor, rows });
        }
        return Some(Request::Again { cursor, rows, binds: bound(reader, binds)? });
    }
    let sql = characters(reader, length, bare)?;
    reader.numbers(13)?;
    Some(Request::Execute { sql, rows, binds: bound(reader, binds)? })
}

/// What is sent along with a call: cursors to close (nothing to do), or what V$SESSION is to show.
fn piggyback(reader: &mut Reader, code: u8) -> Option<Vec<String>> {
    match code {
        105 => {
            reader.u8()?;
            let cursors = usize::try_from(reader.number()?).ok()?;
            reader.numbers(cursors)?;
            Some(Vec::new())
        }
        135 => attributes(reader),
        _ => Some(Vec::new()),
    }
}

/// The lengths of seven texts, those not used here among them, then the texts that are not empty.
fn attributes(reader: &mut Reader) -> Option<Vec<String>> {
    reader.raw(2)?;
    reader.number()?;
    let mut texts = 0;
    for used in [true, true, true, false] {
        reader.u8()?;
        texts += usize::from(reader.number()? > 0 && used);
    }
    reader.u8()?;
    reader.number()?;
    for used in [true, false, false, true] {
        reader.u8()?;
        texts += usize::from(reader.number()? > 0 && used);
    }
    let read = |_| Some(String::from_utf8_lossy(&reader.text()?).into_owned());
    (0..texts).map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::Writer;

    #[test]
    fn a_request_that_is_cut_waits_for_more() {
        let mut fetch = Writer::default();
        fetch.raw(&[FUNCTION, 5, 9]).number(7).number(300);
        let fetch = fetch.into_bytes();
        let request = Request::Fetch { cursor: 7, rows: 300 };
        let whole = Received { request, attributes: Vec::new(), call_number: 9 };
        assert_eq!(read(&fetch, false), Some(whole));
        for cut in 0..fetch.len() {
            assert_eq!(read(&fetch[..cut], false), None, "{cut}");
        }
    }

    #[test]
    fn what_is_sent_along_comes_first() {
        let mut both = Writer::default();
        both.raw(&[PIGGYBACK, 105, 0, 1]).number(2).number(4).number(5);
        both.raw(&[FUNCTION, 147, 0]);
        let read = read(&both.into_bytes(), false).map(|received| received.request);
        assert_eq!(read, Some(Request::Plain));
    }
}

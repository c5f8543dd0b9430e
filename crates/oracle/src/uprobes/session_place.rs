//! Where a process of Oracle keeps its session, which waits get their parameters from.

use std::str::FromStr;

use thiserror::Error;

/// Where the row of `X$KSUSE` of a process is: in a register less so many bytes, and its columns in bytes from
/// there, such as `r13-7912,sid=5920,event=5826,p1=5832,p2=5840,p3=5848` in 11.2.0.4. Both change with every
/// release, and users found them out: none is known here.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct SessionPlace {
    register: &'static str,
    before: u32,
    /// In the order of [`COLUMNS`].
    columns: [u32; 5],
}

/// Why a text names no such place.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "'{0}' does not say where the session is: write a register (r12 to r15) less bytes, and the bytes of sid, \
     event, p1, p2 and p3, such as r13-7912,sid=5920,event=5826,p1=5832,p2=5840,p3=5848 in 11.2.0.4"
)]
pub struct SessionPlaceError(String);

/// Those that a function leaves as they are.
const REGISTERS: [&str; 4] = ["r12", "r13", "r14", "r15"];
/// What is read: `KSUSENUM`, `KSUSEOPC`, `KSUSEP1` to `KSUSEP3`.
const COLUMNS: [&str; 5] = ["sid", "event", "p1", "p2", "p3"];
/// More than a row has, in bytes.
const MOST: u32 = 1 << 20;

impl SessionPlace {
    /// What a program of bpftrace reads: the session's number, that of the event it waits for, and the three
    /// parameters of the wait.
    pub fn expressions(&self) -> [String; 5] {
        let [sid, event, rest @ ..] = self.columns;
        let short = [sid, event].map(|column| self.expression("uint16", column));
        let long = rest.map(|column| self.expression("uint64", column));
        let ([sid, event], [p1, p2, p3]) = (short, long);
        [sid, event, p1, p2, p3]
    }

    fn expression(&self, kind: &str, column: u32) -> String {
        let (sign, bytes) = match column.checked_sub(self.before) {
            Some(behind) => ('+', behind),
            None => ('-', self.before - column),
        };
        format!("*({kind} *)(reg(\"{}\") {sign} {bytes})", self.register)
    }
}

impl FromStr for SessionPlace {
    type Err = SessionPlaceError;

    fn from_str(text: &str) -> Result<SessionPlace, SessionPlaceError> {
        read(text).ok_or_else(|| SessionPlaceError(text.to_owned()))
    }
}

fn read(text: &str) -> Option<SessionPlace> {
    let bytes = |digits: &str| digits.parse().ok().filter(|bytes| *bytes < MOST);
    let mut parts = text.split(',').map(str::trim);
    let (register, before) = parts.next()?.split_once('-')?;
    let register = REGISTERS.into_iter().find(|name| *name == register)?;
    let before = bytes(before)?;
    let mut columns = [None; 5];
    for part in parts {
        let (name, at) = part.split_once('=')?;
        let place = COLUMNS.iter().position(|column| *column == name)?;
        if columns.get_mut(place)?.replace(bytes(at)?).is_some() {
            return None;
        }
    }
    let [Some(sid), Some(event), Some(p1), Some(p2), Some(p3)] = columns else { return None };
    Some(SessionPlace { register, before, columns: [sid, event, p1, p2, p3] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_read_before_and_behind_the_register() {
        let text = "r13-3928,sid=1704,event=1602,p1=1608,p3=1624,p2=4000";
        let place: SessionPlace = text.parse().unwrap();
        let expected = [
            "*(uint16 *)(reg(\"r13\") - 2224)",
            "*(uint16 *)(reg(\"r13\") - 2326)",
            "*(uint64 *)(reg(\"r13\") - 2320)",
            "*(uint64 *)(reg(\"r13\") + 72)",
            "*(uint64 *)(reg(\"r13\") - 2304)",
        ];
        assert_eq!(place.expressions(), expected);
    }

    #[test]
    fn what_is_not_whole_is_refused() {
        for text in [
            "",
            "r13",
            "r13-7912",
            "rip-7912,sid=1,event=2,p1=3,p2=4,p3=5",
            "r13-7912,sid=1,event=2,p1=3,p2=4",
            "r13-7912,sid=1,sid=1,event=2,p1=3,p2=4,p3=5",
            "r13-7912,sid=1,event=2,p1=3,p2=4,p3=-5",
            "r13-7912,sid=1,event=2,p1=3,p2=4,p3=5);",
            "r13-99999999,sid=1,event=2,p1=3,p2=4,p3=5",
        ] {
            assert!(text.parse::<SessionPlace>().is_err(), "{text}");
        }
    }
}

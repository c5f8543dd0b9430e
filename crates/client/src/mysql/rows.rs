//! The rows that a server answers a statement with.

use super::error::MySqlError;
use super::fields::Fields;
use super::greeting::fault;
use crate::row_memory::row_memory;

/// The most columns that an answer may have.
const MOST_COLUMNS: usize = 1_000;
/// The most memory that the rows may take, bytes.
const MOST: usize = 128 << 20;

/// A row: a text for each column, `None` for SQL's null.
pub type Row = Vec<Option<String>>;

/// The answer to a statement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<Row>,
}

/// Reads the messages of an answer, which `next` gives one after the other.
pub fn answer(mut next: impl FnMut() -> Result<Vec<u8>, MySqlError>) -> Result<Rows, MySqlError> {
    let first = next()?;
    let mut fields = Fields(&first);
    let columns = match fields.byte()? {
        0 => return Ok(Rows::default()),
        0xff => return Err(MySqlError::Server(fault(fields)?)),
        0xfb => return Err(MySqlError::Wire("the server asks for a file of ours")),
        byte => fields.length(byte)?,
    };
    if columns > MOST_COLUMNS {
        return Err(MySqlError::Wire("more than 1,000 columns"));
    }
    let mut found = Rows::default();
    for _ in 0..columns {
        found.columns.push(column(&next()?)?);
    }
    if !is_end(&next()?) {
        return Err(MySqlError::Wire("columns without an end"));
    }
    let mut size = 0;
    while size < MOST {
        let message = next()?;
        if is_end(&message) {
            return Ok(found);
        }
        if message.first() == Some(&0xff) {
            return Err(MySqlError::Server(fault(Fields(&message[1..]))?));
        }
        found.rows.push(row(&message, columns)?);
        size += message.len() + row_memory(columns);
    }
    Err(MySqlError::TooLong { most: MOST })
}

/// A row can begin with the same byte, and is longer.
fn is_end(message: &[u8]) -> bool {
    message.first() == Some(&0xfe) && message.len() < 9
}

/// The name of a column: the fifth of its texts.
fn column(message: &[u8]) -> Result<String, MySqlError> {
    let mut fields = Fields(message);
    for _ in 0..4 {
        fields.value()?;
    }
    Ok(String::from_utf8_lossy(fields.value()?.unwrap_or_default()).into_owned())
}

fn row(message: &[u8], columns: usize) -> Result<Row, MySqlError> {
    let mut fields = Fields(message);
    let value = |value: Option<&[u8]>| value.map(|text| String::from_utf8_lossy(text).into_owned());
    (0..columns).map(|_| fields.value().map(value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(messages: &[&[u8]]) -> Result<Rows, MySqlError> {
        let mut left = messages.iter();
        answer(|| left.next().map(|bytes| bytes.to_vec()).ok_or(MySqlError::Wire("no more")))
    }

    const COLUMN: &[u8] = b"\x03def\0\0\0\x04TIME\0\x0c\x21\0\0\0\0\0\xfd\x01\0\0\0\0";
    const END: &[u8] = b"\xfe\0\0\x02\0";

    #[test]
    fn rows_are_texts_and_nulls() {
        let found = answered(&[b"\x02", COLUMN, COLUMN, END, b"\x02ab\xfb", b"\0\x01c", END]);
        let found = found.unwrap();
        assert_eq!(found.columns, ["TIME", "TIME"]);
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(found.rows, [vec![text("ab"), None], vec![text(""), text("c")]]);
    }

    #[test]
    fn refusals_are_heard_at_both_places() {
        let refusal: &[u8] = b"\xff\x7a\x04#42S02Table 'x' doesn't exist";
        for messages in [&[refusal][..], &[b"\x01", COLUMN, END, refusal]] {
            let error = answered(messages).unwrap_err();
            assert!(error.is(&[1146]), "{error}");
            assert_eq!(error.to_string(), "Table 'x' doesn't exist (error 1146)");
        }
        assert_eq!(answered(&[b"\0\0\0\x02\0\0\0"]).unwrap(), Rows::default());
    }

    /// 128 MiB are 2,352 times 1,000 bytes of a row of nulls and 1,001 times 56 bytes of memory, or twice
    /// a row of long texts.
    #[test]
    fn rows_without_end_are_refused_by_the_memory_that_they_take() {
        let columns = 1_000_usize;
        let mut before: Vec<&[u8]> = vec![b"\xfc\xe8\x03"];
        before.extend(std::iter::repeat_n(COLUMN, columns));
        before.push(END);
        let mut long = vec![0xfc, 0xff, 0xff];
        long.resize(3 + 65_535, b'x');
        for (value, most) in [(vec![0xfb], 2_353), (long, 3)] {
            let row = value.repeat(columns);
            let mut heard = 0;
            let answered = answer(|| {
                heard += 1;
                Ok(before.get(heard - 1).map_or_else(|| row.clone(), |message| message.to_vec()))
            });
            assert!(matches!(answered, Err(MySqlError::TooLong { .. })), "{heard} messages");
            assert_eq!(heard - before.len(), most);
        }
    }

    #[test]
    fn what_is_no_answer_is_an_error() {
        let wrong: [&[&[u8]]; 5] =
            [&[b""], &[b"\xfbx"], &[b"\xfd\xff\xff\xff"], &[b"\x01", COLUMN, COLUMN], &[b"\x01"]];
        for messages in wrong {
            assert!(matches!(answered(messages), Err(MySqlError::Wire(_))), "{messages:?}");
        }
    }
}

//! Values of rows, and the columns they stand in.

use crate::encode::Writer;

/// One value of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A VARCHAR2; the empty text is NULL, as everywhere in Oracle.
    Text(String),
    /// A NUMBER that is whole and not negative.
    Number(u64),
    /// Any other NUMBER: its bytes as `DUMP` shows them.
    NumberBytes(Vec<u8>),
    /// A DATE or a timestamp.
    Moment(Moment),
    /// A RAW.
    Raw(Vec<u8>),
    /// A `BINARY_DOUBLE`.
    Double(f64),
    /// No value.
    Null,
}

/// A moment; one with a time zone is given in UTC.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Moment {
    /// The year, from 1.
    pub year: u16,
    /// The month, from 1.
    pub month: u8,
    /// The day of the month, from 1.
    pub day: u8,
    /// The hour, from 0.
    pub hour: u8,
    /// The minute.
    pub minute: u8,
    /// The second.
    pub second: u8,
    /// Nanoseconds of the second, which a DATE has not.
    pub nanosecond: u32,
}

/// A column of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Column {
    /// VARCHAR2(4000) of this name.
    Text(&'static str),
    /// CHAR(4) of this name.
    Char(&'static str),
    /// NUMBER of this name.
    Number(&'static str),
    /// DATE of this name.
    Date(&'static str),
    /// TIMESTAMP(9) of this name.
    Timestamp(&'static str),
    /// TIMESTAMP(9) WITH TIME ZONE of this name.
    ZonedTimestamp(&'static str),
    /// RAW(2000) of this name.
    Raw(&'static str),
    /// `BINARY_DOUBLE` of this name.
    Double(&'static str),
}

impl Column {
    /// The protocol's number of the type.
    pub(crate) fn kind(&self) -> u8 {
        match self {
            Column::Text(_) => 1,
            Column::Number(_) => 2,
            Column::Date(_) => 12,
            Column::Raw(_) => 23,
            Column::Char(_) => 96,
            Column::Double(_) => 101,
            Column::Timestamp(_) => 180,
            Column::ZonedTimestamp(_) => 181,
        }
    }

    /// The most bytes of a value.
    pub(crate) fn size(&self) -> u64 {
        match self {
            Column::Text(_) => 4000,
            Column::Number(_) => 22,
            Column::Date(_) => 7,
            Column::Raw(_) => 2000,
            Column::Char(_) => 4,
            Column::Double(_) => 8,
            Column::Timestamp(_) => 11,
            Column::ZonedTimestamp(_) => 13,
        }
    }

    /// Decimal places: -127 (as a byte) of a NUMBER means any, of a timestamp they are those of its
    /// seconds.
    pub(crate) fn scale(&self) -> u8 {
        match self {
            Column::Number(_) => 129,
            Column::Timestamp(_) | Column::ZonedTimestamp(_) => 9,
            _ => 0,
        }
    }

    pub(crate) fn is_text(&self) -> bool {
        matches!(self, Column::Text(_) | Column::Char(_))
    }

    pub(crate) fn name(&self) -> &'static str {
        match self {
            Column::Text(name)
            | Column::Char(name)
            | Column::Number(name)
            | Column::Date(name)
            | Column::Timestamp(name)
            | Column::ZonedTimestamp(name)
            | Column::Raw(name)
            | Column::Double(name) => name,
        }
    }
}

impl Value {
    /// Writes it as a value of this column.
    pub(crate) fn write(&self, column: &Column, answer: &mut Writer) {
        match self {
            Value::Text(text) => answer.text(text.as_bytes()),
            Value::Number(number) => answer.oracle_number(*number),
            Value::NumberBytes(bytes) | Value::Raw(bytes) => answer.text(bytes),
            Value::Double(number) => answer.text(&ordered(*number)),
            Value::Moment(moment) => answer.text(&moment.bytes(column)),
            Value::Null => answer.number(0),
        };
    }
}

impl Moment {
    /// As many bytes as a column of this type has.
    fn bytes(&self, column: &Column) -> Vec<u8> {
        let part = |value: u16| u8::try_from(value).unwrap_or(0) + 100;
        let mut bytes = vec![part(self.year / 100), part(self.year % 100), self.month, self.day];
        bytes.extend([self.hour + 1, self.minute + 1, self.second + 1]);
        if !matches!(column, Column::Date(_)) {
            bytes.extend(self.nanosecond.to_be_bytes());
        }
        if matches!(column, Column::ZonedTimestamp(_)) {
            bytes.extend([20, 60]);
        }
        bytes
    }
}

/// The bytes of a `BINARY_DOUBLE`, which sort as the numbers do.
fn ordered(number: f64) -> [u8; 8] {
    let bits = number.to_bits();
    let ordered = if number.is_sign_negative() { !bits } else { bits | 1 << 63 };
    ordered.to_be_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(value: &Value, column: &Column) -> Vec<u8> {
        let mut writer = Writer::default();
        value.write(column, &mut writer);
        writer.into_bytes()
    }

    /// Bytes as `dump()` shows them, after their number.
    #[test]
    fn values_have_the_bytes_that_dump_shows_on_a_server() {
        let moment =
            Moment { year: 2024, month: 2, day: 29, hour: 23, minute: 59, ..Moment::default() };
        let moment = Value::Moment(Moment { second: 58, nanosecond: 123_456_789, ..moment });
        let date = [120, 124, 2, 29, 24, 60, 59];
        let nanos = [7, 91, 205, 21];
        for (column, bytes) in [
            (Column::Date("D"), [&[7], &date[..]].concat()),
            (Column::Timestamp("T"), [&[11], &date[..], &nanos].concat()),
            (Column::ZonedTimestamp("Z"), [&[13], &date[..], &nanos, &[20, 60]].concat()),
        ] {
            assert_eq!(written(&moment, &column), bytes, "{column:?}");
        }
        let one = Value::Double(1.0);
        assert_eq!(written(&one, &Column::Double("X")), [8, 191, 240, 0, 0, 0, 0, 0, 0]);
        let negative = Value::Double(-1.0);
        assert_eq!(written(&negative, &Column::Double("X"))[1..3], [64, 15]);
    }
}

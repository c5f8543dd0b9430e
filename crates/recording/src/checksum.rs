//! What tells a row that changed since it was written.

use rusqlite::Row;
use rusqlite::types::ValueRef;

/// The CRC-32 of a row, as zlib and gzip compute it: its values in the order of the columns, whole
/// numbers in decimals, null as nothing, with a line feed between any two.
pub(crate) fn of(values: &[ValueRef<'_>]) -> i64 {
    let mut hasher = crc32fast::Hasher::new();
    for (number, value) in values.iter().enumerate() {
        if number > 0 {
            hasher.update(b"\n");
        }
        match value {
            ValueRef::Null => {}
            ValueRef::Integer(whole) => hasher.update(whole.to_string().as_bytes()),
            ValueRef::Real(real) => hasher.update(real.to_string().as_bytes()),
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => hasher.update(bytes),
        }
    }
    i64::from(hasher.finalize())
}

/// Whether the columns of a row have the checksum that the one after them holds.
pub(crate) fn holds(row: &Row<'_>, columns: std::ops::Range<usize>) -> rusqlite::Result<bool> {
    let stored = row.get_ref(columns.end)?;
    let values = columns.map(|column| row.get_ref(column)).collect::<rusqlite::Result<Vec<_>>>()?;
    Ok(stored == ValueRef::Integer(of(&values)))
}

/// A text as a value.
pub(crate) fn text(text: &str) -> ValueRef<'_> {
    ValueRef::Text(text.as_bytes())
}

/// A text or null as a value.
pub(crate) fn optional(value: Option<&str>) -> ValueRef<'_> {
    value.map_or(ValueRef::Null, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_the_one_gzip_uses() {
        // printf '65537\n0\n[1,200,3]\n123456\n\n' | gzip -c | tail -c8 | od -An -tu4
        let row = [ValueRef::Integer(65_537), ValueRef::Integer(0), text("[1,200,3]")];
        let row = [&row[..], &[ValueRef::Integer(123_456), ValueRef::Null, ValueRef::Null]];
        assert_eq!(of(&row.concat()), 2_588_602_894);
    }
}

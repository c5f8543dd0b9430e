//! A range of the bytes of a file, as it is typed behind the name of the file.

use std::fmt;

use isotherm_frame::typed;

/// A range of bytes: the records that begin in it.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct ByteRange {
    /// The first byte.
    pub from: u64,
    /// The byte behind the last one; none for the end of the file.
    pub to: Option<u64>,
}

impl ByteRange {
    /// The name of a file and the range behind it, of a text such as `day.trc@1G..2G`, `day.trc@4096..`
    /// or `day.trc@..1M`; `None` if no range stands there. An error says what is wrong with it.
    pub fn behind(text: &str) -> Option<(&str, Result<ByteRange, String>)> {
        let (file, range) = text.rsplit_once('@').filter(|(file, _)| !file.is_empty())?;
        let (from, to) = range.split_once("..")?;
        let is_amount =
            |text: &str| text.is_empty() || text.starts_with(|c: char| c.is_ascii_digit());
        if typed::split_scheme(text).is_some() || !is_amount(from) || !is_amount(to) {
            return None;
        }
        Some((file, ByteRange::read(from, to)))
    }

    fn read(from: &str, to: &str) -> Result<ByteRange, String> {
        let amount = |text: &str| {
            let bytes = Some(text).filter(|text| !text.is_empty()).map(typed::bytes);
            bytes.transpose().map_err(|error| error.to_string())
        };
        let (from, to) = (amount(from)?.unwrap_or(0), amount(to)?);
        if to.is_some_and(|to| to < from) {
            return Err("a range ends behind its beginning: FILE@A..B, in bytes".to_owned());
        }
        Ok(ByteRange { from, to })
    }
}

impl fmt::Display for ByteRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..", self.from)?;
        self.to.map_or(Ok(()), |to| write!(f, "{to}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_stand_behind_the_name_of_a_file() {
        let range = |text| {
            let (file, range) = ByteRange::behind(text)?;
            Some((file, range.map(|range| range.to_string())))
        };
        assert_eq!(range("a@b.trc@0..10"), Some(("a@b.trc", Ok("0..10".to_owned()))));
        assert_eq!(range("x@1k.."), Some(("x", Ok("1024..".to_owned()))));
        assert_eq!(range("x@..2M"), Some(("x", Ok("0..2097152".to_owned()))));
        assert_eq!(range("x@.."), Some(("x", Ok("0..".to_owned()))));
        assert!(range("x@9..3").unwrap().1.unwrap_err().contains("ends behind its beginning"));
        assert!(range("x@1q..").unwrap().1.is_err());
        for none in ["x", "x@1", "@1..2", "x@a..b", "postgres://u@1..2", "file:x@1..2"] {
            assert_eq!(range(none), None, "{none}");
        }
    }
}

//! What a line of a BINDS section says.

use super::digits;

/// A line of a BINDS section.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum BindLine<'a> {
    /// The bind variable that the lines below it are about, by its position, and the number of its
    /// type where that stands on the same line: up to 10.1.
    Variable(u32, Option<u32>),
    /// The number of its type.
    Type(u32),
    /// Its value, without quotation marks.
    Value(&'a [u8]),
}

impl<'a> BindLine<'a> {
    /// Reads a line that begins with a blank; a value may go over several.
    pub(super) fn read(text: &'a [u8]) -> Option<BindLine<'a>> {
        let begin = text.iter().position(|&byte| byte != b' ' && byte != b'\t')?;
        let text = text.get(begin..)?;
        match text.first()? {
            b'v' => text.strip_prefix(b"value=").map(unquoted).map(BindLine::Value),
            b'o' => text.strip_prefix(b"oacdty=").and_then(number).map(BindLine::Type),
            b'B' => {
                let position = text.strip_prefix(b"Bind#").and_then(number);
                position.map(|position| BindLine::Variable(position, None))
            }
            b'b' => text.strip_prefix(b"bind ").and_then(older),
            _ => None,
        }
    }
}

/// `0: dty=1 mxl=32(18)`, as up to 10.1.
fn older(text: &[u8]) -> Option<BindLine<'_>> {
    let (position, length) = digits::leading(text)?;
    let kind = text.get(length..)?.strip_prefix(b": dty=").and_then(number);
    u32::try_from(position).ok().map(|position| BindLine::Variable(position, kind))
}

fn number(text: &[u8]) -> Option<u32> {
    digits::leading(text).and_then(|(number, _)| u32::try_from(number).ok())
}

/// The value as written, without the quotation marks around it.
fn unquoted(value: &[u8]) -> &[u8] {
    let value = value.strip_suffix(b"\n").unwrap_or(value);
    let value = value.strip_suffix(b"\r").unwrap_or(value);
    let Some(text) = value.strip_prefix(b"\"") else { return value };
    text.strip_suffix(b"\"").unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_all_releases_are_read() {
        let cases: [(&str, Option<BindLine<'_>>); 9] = [
            (" Bind#12\n", Some(BindLine::Variable(12, None))),
            (" bind 0: dty=1 mxl=32(18) mal=00\n", Some(BindLine::Variable(0, Some(1)))),
            ("  oacdty=01 mxl=32(05) mxlc=00 mal=00\n", Some(BindLine::Type(1))),
            ("  oacflg=03 fl2=1206001 frm=01\n", None),
            ("  kxsbbbfp=7fabc0d2e8  bln=32  avl=05  flg=05\n", None),
            ("  value=14\n", Some(BindLine::Value(b"14"))),
            ("   value=\"Aare\"\r\n", Some(BindLine::Value(b"Aare"))),
            ("  value=\"two\nlines\"\n", Some(BindLine::Value(b"two\nlines"))),
            ("  value=\"a long\"...\n", Some(BindLine::Value(b"a long\"..."))),
        ];
        for (line, expected) in cases {
            assert_eq!(BindLine::read(line.as_bytes()), expected, "{line}");
        }
    }
}

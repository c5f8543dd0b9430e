//! The parameters of waits.

use super::Wait;

/// The parameters of a wait in order, each as its name and value: `file#` and `7` of `file#=7
/// block#=512 blocks=1 obj#=-1`. Names may have blanks in them, values have none.
#[derive(Clone, Debug)]
pub struct Parameters<'a>(&'a [u8]);

impl<'a> Wait<'a> {
    /// The parameters, `obj#` among them.
    pub fn parameters(&self) -> Parameters<'a> {
        Parameters(self.parameters)
    }

    /// The value of the parameter of that name.
    pub fn parameter(&self, name: &[u8]) -> Option<&'a [u8]> {
        self.parameters().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// The value of `p1`, `p2` or `p3`, for `number` 1, 2 or 3: whatever the event calls it.
    pub fn position(&self, number: usize) -> Option<&'a [u8]> {
        let mut values = self.parameters().filter(|(name, _)| *name != b"obj#");
        values.nth(number.checked_sub(1)?).map(|(_, value)| value)
    }
}

impl<'a> Iterator for Parameters<'a> {
    type Item = (&'a [u8], &'a [u8]);

    fn next(&mut self) -> Option<(&'a [u8], &'a [u8])> {
        let text = self.0.trim_ascii_start();
        let equals = memchr::memchr(b'=', text)?;
        let (name, rest) = text.split_at(equals);
        let rest = rest.get(1..)?;
        let end = memchr::memchr(b' ', rest).unwrap_or(rest.len());
        let (value, rest) = rest.split_at(end);
        self.0 = rest;
        Some((name, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_found_by_name_and_by_position() {
        let parameters = b"driver id=1952673792 #bytes=1 p3=0 obj#=-1".as_slice();
        let wait = Wait { cursor: 0, event: b"x", ela: 1, parameters, tim: None };
        let all: Vec<_> = wait.parameters().collect();
        let expected: [(&[u8], &[u8]); 4] =
            [(b"driver id", b"1952673792"), (b"#bytes", b"1"), (b"p3", b"0"), (b"obj#", b"-1")];
        assert_eq!(all, expected);
        assert_eq!(wait.parameter(b"obj#"), Some(b"-1".as_slice()));
        assert_eq!(wait.parameter(b"id"), None);
        assert_eq!(wait.position(1), Some(b"1952673792".as_slice()));
        assert_eq!([wait.position(4), wait.position(0)], [None, None]);
    }
}

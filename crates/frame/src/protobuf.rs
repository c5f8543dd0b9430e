//! The wire format of Protocol Buffers: fields of a message, one after the other
//! (<https://protobuf.dev/programming-guides/encoding/>).

use crate::leb128;

/// What is not a message, or cut off.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Malformed;

/// The value of a field.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Value<'b> {
    /// A whole number of any size.
    Number(u64),
    /// Eight bytes: a number or a double.
    Eight(u64),
    /// Four bytes: a number or a float.
    Four(u32),
    /// A text, a message or packed numbers.
    Bytes(&'b [u8]),
}

/// The fields of a message: their numbers and values.
pub struct Fields<'b>(&'b [u8]);

impl<'b> Fields<'b> {
    /// The fields of the message that these bytes are.
    pub fn of(bytes: &'b [u8]) -> Fields<'b> {
        Fields(bytes)
    }

    fn field(&mut self) -> Option<(u32, Value<'b>)> {
        let key = number(&mut self.0)?;
        let value = match key & 7 {
            0 => Value::Number(number(&mut self.0)?),
            1 => Value::Eight(u64::from_le_bytes(take(&mut self.0)?)),
            2 => {
                let length = usize::try_from(number(&mut self.0)?).ok()?;
                let (bytes, rest) = self.0.split_at_checked(length)?;
                self.0 = rest;
                Value::Bytes(bytes)
            }
            5 => Value::Four(u32::from_le_bytes(take(&mut self.0)?)),
            _ => return None,
        };
        Some((u32::try_from(key >> 3).ok().filter(|number| *number > 0)?, value))
    }
}

impl<'b> Iterator for Fields<'b> {
    type Item = Result<(u32, Value<'b>), Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let field = self.field().ok_or(Malformed);
        if field.is_err() {
            self.0 = &[];
        }
        Some(field)
    }
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (first, rest) = bytes.split_first_chunk::<N>()?;
    *bytes = rest;
    Some(*first)
}

/// A number of seven bits in each byte, the lowest first.
pub fn number(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0_u64;
    for place in 0..10 {
        let [byte] = take(bytes)?;
        let part = u64::from(byte & 0x7f);
        if place == 9 && part > 1 {
            return None;
        }
        value |= part << (7 * place);
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

/// A number with a sign, as `sint32` and `sint64` are written.
pub fn signed(number: u64) -> i64 {
    let half = i64::try_from(number >> 1).unwrap_or(i64::MAX);
    if number & 1 == 0 { half } else { -half - 1 }
}

impl<'b> Value<'b> {
    /// The text or message.
    ///
    /// # Errors
    /// If the value is of another kind, or cut off.
    pub fn bytes(self) -> Result<&'b [u8], Malformed> {
        match self {
            Value::Bytes(bytes) => Ok(bytes),
            _ => Err(Malformed),
        }
    }

    /// The text.
    ///
    /// # Errors
    /// If the value is of another kind, or cut off.
    pub fn text(self) -> Result<String, Malformed> {
        self.bytes().map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    }

    /// A name and a value, as labels and attributes are; `text` reads the value.
    ///
    /// # Errors
    /// If the value is of another kind, or cut off.
    pub fn pair(
        self,
        text: impl Fn(Value<'b>) -> Result<String, Malformed>,
    ) -> Result<(String, String), Malformed> {
        let mut pair = (String::new(), String::new());
        for field in Fields::of(self.bytes()?) {
            match field? {
                (1, name) => pair.0 = name.text()?,
                (2, value) => pair.1 = text(value)?,
                _ => {}
            }
        }
        Ok(pair)
    }

    /// The whole number, whichever way it is written.
    ///
    /// # Errors
    /// If the value is of another kind, or cut off.
    pub fn whole(self) -> Result<u64, Malformed> {
        match self {
            Value::Number(number) | Value::Eight(number) => Ok(number),
            Value::Four(number) => Ok(number.into()),
            Value::Bytes(_) => Err(Malformed),
        }
    }

    /// The number with a fraction.
    ///
    /// # Errors
    /// If the value is of another kind, or cut off.
    pub fn double(self) -> Result<f64, Malformed> {
        match self {
            Value::Eight(bits) => Ok(f64::from_bits(bits)),
            Value::Four(bits) => Ok(f32::from_bits(bits).into()),
            _ => Err(Malformed),
        }
    }

    /// Adds whole numbers, one or packed together.
    ///
    /// # Errors
    /// If the value is of another kind, or cut off.
    pub fn numbers(self, into: &mut Vec<u64>) -> Result<(), Malformed> {
        match self {
            Value::Bytes(mut bytes) => {
                while !bytes.is_empty() {
                    into.push(number(&mut bytes).ok_or(Malformed)?);
                }
            }
            one => into.push(one.whole()?),
        }
        Ok(())
    }

    /// Adds numbers of eight bytes, one or packed together.
    ///
    /// # Errors
    /// If the value is of another kind, or cut off.
    pub fn eights(self, into: &mut Vec<u64>) -> Result<(), Malformed> {
        match self {
            Value::Bytes(mut bytes) => {
                while !bytes.is_empty() {
                    into.push(u64::from_le_bytes(take(&mut bytes).ok_or(Malformed)?));
                }
            }
            one => into.push(one.whole()?),
        }
        Ok(())
    }
}

/// A message that is being written, field by field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message(Vec<u8>);

impl Message {
    fn key(&mut self, field: u32, kind: u64) -> &mut Vec<u8> {
        leb128::push(&mut self.0, (u64::from(field) << 3) | kind);
        &mut self.0
    }

    /// A whole number of any size (`uint64`, `bool`, an enumeration).
    pub fn number(&mut self, field: u32, number: u64) {
        leb128::push(self.key(field, 0), number);
    }

    /// A number of eight bytes (`fixed64`).
    pub fn fixed(&mut self, field: u32, number: u64) {
        self.key(field, 1).extend(number.to_le_bytes());
    }

    /// A number with a fraction (`double`).
    pub fn double(&mut self, field: u32, number: f64) {
        self.fixed(field, number.to_bits());
    }

    /// A text.
    pub fn text(&mut self, field: u32, text: &str) {
        self.framed(field, text.as_bytes());
    }

    /// A message.
    pub fn message(&mut self, field: u32, message: &Message) {
        self.framed(field, &message.0);
    }

    /// Numbers of eight bytes, packed together.
    pub fn packed(&mut self, field: u32, numbers: impl IntoIterator<Item = u64>) {
        let bytes: Vec<u8> = numbers.into_iter().flat_map(u64::to_le_bytes).collect();
        self.framed(field, &bytes);
    }

    fn framed(&mut self, field: u32, bytes: &[u8]) {
        let out = self.key(field, 2);
        leb128::push(out, bytes.len() as u64);
        out.extend_from_slice(bytes);
    }

    /// The bytes of the message.
    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_those_of_the_documentation() {
        // The examples of protobuf.dev: field 1 is 150; field 2 is "testing"; field 6 is packed.
        let bytes = b"\x08\x96\x01\x12\x07testing\x32\x06\x03\x8e\x02\x9e\xa7\x05";
        let fields: Vec<_> = Fields::of(bytes).map(Result::unwrap).collect();
        assert_eq!(fields[0], (1, Value::Number(150)));
        assert_eq!(fields[1], (2, Value::Bytes(b"testing")));
        let mut numbers = Vec::new();
        fields[2].1.numbers(&mut numbers).unwrap();
        assert_eq!(numbers, [3, 270, 86_942]);
        assert_eq!([0, 1, 2, 3, u64::MAX].map(signed), [0, -1, 1, -2, i64::MIN]);
    }

    #[test]
    fn what_is_written_is_that_of_the_documentation_and_is_read_back() {
        let mut message = Message::default();
        message.number(1, 150);
        message.text(2, "testing");
        assert_eq!(message.clone().into_bytes(), b"\x08\x96\x01\x12\x07testing");
        let mut outer = Message::default();
        outer.message(3, &message);
        outer.double(4, -1.5);
        outer.packed(5, [7, u64::MAX]);
        let bytes = outer.into_bytes();
        let fields: Vec<_> = Fields::of(&bytes).map(Result::unwrap).collect();
        assert_eq!(fields[0], (3, Value::Bytes(&message.into_bytes())));
        assert_eq!((fields[1].0, fields[1].1.double()), (4, Ok(-1.5)));
        let mut numbers = Vec::new();
        fields[2].1.eights(&mut numbers).unwrap();
        assert_eq!(numbers, [7, u64::MAX]);
    }

    #[test]
    fn what_is_cut_or_no_message_is_an_error() {
        for bytes in [
            &b"\x12\x07test"[..],
            b"\x08",
            b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f",
            b"\x07",
            b"\x00\x00",
        ] {
            assert!(Fields::of(bytes).any(|field| field.is_err()), "{bytes:?}");
        }
    }
}

//! JSON that a program wrote from a template, without regard to what it put in: an access log of nginx has
//! `"upstream_response_time":-` and `"agent":"a\x22b"`.

/// The same as proper JSON; none if nothing of that kind is wrong with it.
pub(crate) fn repaired(line: &str) -> Option<String> {
    let line = line.trim();
    let whole = line.strip_suffix(',').unwrap_or(line);
    let mut is_changed = whole.len() < line.len();
    let bytes = whole.as_bytes();
    let mut text: Vec<u8> = Vec::with_capacity(bytes.len() + 16);
    let (mut at, mut is_within) = (0, false);
    while let Some(byte) = bytes.get(at) {
        at += 1;
        text.push(*byte);
        match (is_within, byte) {
            (true, b'\\') => match bytes.get(at..at + 3) {
                Some([b'x', digits @ ..]) if digits.iter().all(u8::is_ascii_hexdigit) => {
                    text.extend_from_slice(b"u00");
                    text.extend_from_slice(digits);
                    at += 3;
                    is_changed = true;
                }
                _ => {
                    text.extend(bytes.get(at));
                    at += 1;
                }
            },
            (_, b'"') => is_within = !is_within,
            (false, b':') => {
                let rest = bytes.get(at..).unwrap_or_default();
                if matches!(rest.trim_ascii_start().first(), Some(b'"' | b'{' | b'[')) {
                    continue;
                }
                let length = length_of_value(rest);
                let value = std::str::from_utf8(rest.get(..length)?).ok()?.trim();
                if serde_json::from_str::<serde_json::Value>(value).is_ok() {
                    text.extend_from_slice(value.as_bytes());
                } else {
                    text.extend_from_slice(serde_json::Value::from(value).to_string().as_bytes());
                    is_changed = true;
                }
                at += length;
            }
            _ => {}
        }
    }
    if is_changed { String::from_utf8(text).ok() } else { None }
}

/// The beginning of an object that goes on beyond it, closed behind its last whole member.
pub(crate) fn closed(line: &str) -> Option<String> {
    let (mut open, mut whole, mut within) = (Vec::new(), (0, Vec::new()), false);
    let mut bytes = line.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match (within, byte) {
            (true, b'\\') => drop(bytes.next()),
            (_, b'"') => within = !within,
            (false, b'{') => open.push('}'),
            (false, b'[') => open.push(']'),
            (false, b'}' | b']') => drop(open.pop()?),
            (false, b',') => {
                whole.0 = at;
                whole.1.clone_from(&open);
            }
            _ => {}
        }
    }
    let (end, open) = whole;
    (!open.is_empty()).then(|| line[..end].chars().chain(open.into_iter().rev()).collect())
}

/// How long a value without quotation marks is: it ends where the next name or the end of the object is.
fn length_of_value(rest: &[u8]) -> usize {
    let is_end = |(at, byte): (usize, &u8)| match byte {
        b'}' => true,
        b',' => rest.get(at + 1..).unwrap_or_default().trim_ascii_start().first() == Some(&b'"'),
        _ => false,
    };
    rest.iter().enumerate().position(is_end).unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_template_leaves_open_is_closed_and_proper_json_is_left_alone() {
        for (line, expected) in [
            (r#"{"urt":-,"a":1}"#, Some(r#"{"urt":"-","a":1}"#)),
            (r#"{"a":1,"urt":}"#, Some(r#"{"a":1,"urt":""}"#)),
            (r#"{"urt":0.001, 0.002}"#, Some(r#"{"urt":"0.001, 0.002"}"#)),
            (r#"{"agent":"a\x22b: -"}"#, Some(r#"{"agent":"a\u0022b: -"}"#)),
            (r#"{"a":{"b":-},"c":[1,2]},"#, Some(r#"{"a":{"b":"-"},"c":[1,2]}"#)),
            (r#"{"a":true,"b":"x\\","c":null}"#, None),
        ] {
            assert_eq!(repaired(line).as_deref(), expected, "{line}");
        }
    }

    #[test]
    fn an_object_that_goes_on_is_closed_behind_its_last_whole_member() {
        for (line, expected) in [
            (r#"{"a":1,"b":{"c":2,"d":"x"#, Some(r#"{"a":1,"b":{"c":2}}"#)),
            (r#"{"a":"x,\",y","b":[1,2"#, Some(r#"{"a":"x,\",y","b":[1]}"#)),
            (r#"{"a":{"b":[1,{"c":2}],"d":4},"e":5"#, Some(r#"{"a":{"b":[1,{"c":2}],"d":4}}"#)),
            (r#"{"a":"x"#, None),
            ("", None),
            ("a, b", None),
        ] {
            assert_eq!(closed(line).as_deref(), expected, "{line}");
        }
    }
}

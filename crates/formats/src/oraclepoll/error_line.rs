//! Errors as SQL*Plus prints them.

/// The facility and number of a line such as `ORA-00942: table or view does not exist`.
pub fn error_number(line: &str) -> Option<(&str, u32)> {
    const FACILITIES: [&str; 5] = ["ORA", "SP2", "TNS", "PLS", "CPY"];
    let (facility, rest) = line.split_once('-')?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (number, after) = rest.split_at_checked(digits)?;
    let formed = FACILITIES.contains(&facility) && digits >= 4 && after.starts_with(':');
    number.parse().ok().filter(|_| formed).map(|number| (facility, number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_only_where_they_stand() {
        assert_eq!(error_number("SP2-0640: Not connected"), Some(("SP2", 640)));
        assert_eq!(error_number("TNS-12541: no listener"), Some(("TNS", 12541)));
        for text in ["X|ORA-00942: told", "ORA-00942", "ORA-: none", "ORA-7: short", "FOO-12345: x"]
        {
            assert_eq!(error_number(text), None, "{text}");
        }
        assert_eq!(error_number("ORA-99999999999: too large"), None);
    }
}

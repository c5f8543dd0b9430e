//! Which releases the places of the probes are known for.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// A release of Oracle Database, as far as it is known: `19`, `19.12`, `11.2.0.4`, `18c`.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OracleVersion {
    major: u16,
    minor: u16,
}

/// Why a text is no version this can be done for.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum VersionError {
    /// It has no form of a version.
    #[error("'{0}' is not a version of Oracle: write it as 19, 19.12 or 11.2.0.4")]
    Unreadable(String),
    /// It is older than what is known.
    #[error(
        "Oracle {0} is older than 11.2: whether it has the functions that are probed, and what \
         they are given, is not known. A SQL trace (event 10046) tells its waits"
    )]
    TooOld(OracleVersion),
}

impl OracleVersion {
    /// The first release the functions were looked at in.
    const FIRST: OracleVersion = OracleVersion { major: 11, minor: 2 };
    /// The first release whose functions were not probed at their first instruction.
    const OFFSET_FROM: OracleVersion = OracleVersion { major: 12, minor: 1 };
    /// The first release nobody is known to have tried.
    const UNTRIED_FROM: OracleVersion = OracleVersion { major: 19, minor: 0 };

    /// How many bytes behind its beginning a function is probed in this release.
    pub fn offset(self) -> u8 {
        if self >= OracleVersion::OFFSET_FROM { 2 } else { 0 }
    }

    /// Whether somebody is known to have probed this release and published it.
    pub fn is_tried(self) -> bool {
        self < OracleVersion::UNTRIED_FROM
    }
}

impl fmt::Display for OracleVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl FromStr for OracleVersion {
    type Err = VersionError;

    /// Reads `11.2.0.4`, `19`, `19.12`, `19c`, `23ai`. A bare 11 may be 11.1 and is taken as
    /// such; any later release without a second number is its first.
    fn from_str(text: &str) -> Result<OracleVersion, VersionError> {
        let unreadable = || VersionError::Unreadable(text.to_owned());
        let digits = text.trim().trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let mut parts = digits.split('.').map(str::parse::<u16>);
        let major = parts.next().and_then(Result::ok).ok_or_else(unreadable)?;
        let minor = parts.next().transpose().map_err(|_| unreadable())?;
        if parts.any(|part| part.is_err()) || !(7..100).contains(&major) {
            return Err(unreadable());
        }
        let least = u16::from(major < 18);
        let version = OracleVersion { major, minor: minor.unwrap_or(least) };
        if version < OracleVersion::FIRST {
            return Err(VersionError::TooOld(version));
        }
        Ok(version)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_as_dbas_write_them() {
        let offset = |text: &str| text.parse::<OracleVersion>().map(OracleVersion::offset);
        for (text, bytes) in [("11.2", 0), ("11.2.0.4", 0), ("11.2.0.4.0", 0)] {
            assert_eq!(offset(text), Ok(bytes), "{text}");
        }
        for text in ["12.1.0.2", "12c", "12.2", "18", "18c", "19.12", "19c", "21.3", "23ai"] {
            assert_eq!(offset(text), Ok(2), "{text}");
        }
        let tried = |text: &str| text.parse::<OracleVersion>().unwrap().is_tried();
        assert!(tried("11.2") && tried("12.2") && tried("18c"));
        assert!(!tried("19c") && !tried("19.3") && !tried("21") && !tried("23ai"));
    }

    #[test]
    fn what_is_too_old_or_no_version_is_refused() {
        for text in ["10.2.0.5", "11.1", "11", "9.2", "11g"] {
            let found = text.parse::<OracleVersion>().expect_err(text);
            assert!(matches!(found, VersionError::TooOld(_)), "{text}: {found}");
            assert!(found.to_string().contains("older than 11.2"), "{found}");
        }
        for text in ["", "c", "19.x", "nineteen", "19..1", "2019", "-19", "5"] {
            let found = text.parse::<OracleVersion>().expect_err(text);
            assert!(matches!(found, VersionError::Unreadable(_)), "{text}: {found}");
        }
    }
}

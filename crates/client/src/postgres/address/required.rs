//! Which ways of logging on are accepted: what libpq calls `require_auth`.

/// A way of logging on that a server may ask for, and its name in `require_auth`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum AuthMethod {
    /// The server asks for nothing.
    None,
    /// The password in clear text.
    Password,
    /// A hash of the password.
    Md5,
    /// A proof from which the password cannot be guessed, in both directions.
    ScramSha256,
    /// One that is not spoken here, so that it never is accepted.
    Other,
}

/// The names that libpq knows.
const NAMES: [(&str, AuthMethod); 7] = [
    ("none", AuthMethod::None),
    ("password", AuthMethod::Password),
    ("md5", AuthMethod::Md5),
    ("scram-sha-256", AuthMethod::ScramSha256),
    ("gss", AuthMethod::Other),
    ("sspi", AuthMethod::Other),
    ("oauth", AuthMethod::Other),
];

/// Which ways of logging on are accepted; all of them where nothing is said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequiredAuth {
    listed: Vec<AuthMethod>,
    /// Whether those that are listed are the ones that are not accepted.
    is_negated: bool,
}

impl RequiredAuth {
    /// Reads `scram-sha-256,md5` or `!password,!none`; nothing else.
    pub(super) fn read(text: &str) -> Option<RequiredAuth> {
        let is_negated = text.starts_with('!');
        let mut listed = Vec::new();
        for word in text.split(',') {
            let name = match word.strip_prefix('!') {
                Some(name) if is_negated => name,
                None if !is_negated => word,
                _ => return None,
            };
            let known = NAMES.iter().find(|(known, _)| *known == name)?;
            listed.push(known.1);
        }
        Some(RequiredAuth { listed, is_negated })
    }

    /// Whether a server may ask for this.
    pub fn accepts(&self, method: AuthMethod) -> bool {
        self.listed.is_empty() || self.listed.contains(&method) != self.is_negated
    }

    /// Whether it is named as one to be accepted.
    pub fn names(&self, method: AuthMethod) -> bool {
        !self.is_negated && self.listed.contains(&method)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_are_accepted_as_libpq_does() {
        use AuthMethod::{Md5, None, Password, ScramSha256};
        let read = |text| RequiredAuth::read(text).unwrap();
        let accepted = |required: RequiredAuth| {
            [None, Password, Md5, ScramSha256].map(|method| required.accepts(method))
        };
        assert_eq!(accepted(RequiredAuth::default()), [true; 4]);
        assert_eq!(accepted(read("scram-sha-256")), [false, false, false, true]);
        assert_eq!(accepted(read("md5,none")), [true, false, true, false]);
        assert_eq!(accepted(read("!password,!none")), [false, false, true, true]);
        assert!(read("password").names(Password) && !read("!md5").names(Password));
        assert!(!RequiredAuth::default().names(Password));
        for wrong in ["", "scram", "md5,!none", "!md5,none", "md5,"] {
            assert!(RequiredAuth::read(wrong).is_none(), "{wrong}");
        }
    }
}

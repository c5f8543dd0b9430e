//! Tokens: who has one may look, or may look and mark.

use std::fmt;

use sha2::{Digest, Sha256};
use thiserror::Error;

/// The random bytes of a token.
const BYTES: usize = 24;
/// The fewest characters of a token that a user chooses.
pub const LEAST: usize = 16;
/// The most.
const MOST: usize = 200;

/// What a request must carry. Only its checksum is kept for comparing.
#[derive(Clone, PartialEq, Eq)]
pub struct Token {
    text: String,
    digest: [u8; 32],
}

/// Why there is no token.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TokenError {
    /// The system's random source does not answer.
    #[error("cannot make a token: the system's random source does not answer: {0}")]
    NoRandomness(String),
    /// What was chosen is easily guessed, or cannot stand in an address.
    #[error(
        "a token must have {LEAST} to {MOST} characters, each a letter from A to Z or a to z, a digit, - or _"
    )]
    Unusable,
}

impl Token {
    /// A new one from the system's random source, of 192 bits.
    pub fn random() -> Result<Token, TokenError> {
        let mut bytes = [0; BYTES];
        getrandom::fill(&mut bytes).map_err(|error| TokenError::NoRandomness(error.to_string()))?;
        let text = bytes.iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"));
        Ok(Token::of(text))
    }

    /// One that a user chose.
    pub fn chosen(text: &str) -> Result<Token, TokenError> {
        let plain = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
        if !plain || !(LEAST..=MOST).contains(&text.len()) {
            return Err(TokenError::Unusable);
        }
        Ok(Token::of(text.to_owned()))
    }

    fn of(text: String) -> Token {
        let digest = Sha256::digest(text.as_bytes()).into();
        Token { text, digest }
    }

    /// What to write into an address.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether this is the token. How long it takes to say says nothing about how much of it is right:
    /// checksums are compared, and to the last byte.
    pub fn is(&self, offered: &[u8]) -> bool {
        let digest: [u8; 32] = Sha256::digest(offered).into();
        let differing =
            digest.iter().zip(&self.digest).fold(0, |all, (one, two)| all | (one ^ two));
        std::hint::black_box(differing) == 0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(***)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_itself_and_no_other() {
        let token = Token::random().unwrap();
        assert_eq!(token.text().len(), 2 * BYTES);
        assert!(token.is(token.text().as_bytes()));
        let other = Token::random().unwrap();
        assert_ne!(token.text(), other.text());
        for wrong in [other.text(), "", &token.text()[1..], &format!("{}0", token.text())] {
            assert!(!token.is(wrong.as_bytes()), "{wrong}");
        }
        assert_eq!(format!("{token:?}"), "Token(***)");
    }

    #[test]
    fn a_chosen_token_is_long_and_can_stand_in_an_address() {
        assert!(Token::chosen("0123456789abcDEF").is_ok());
        for wrong in ["", "short", "0123456789abcde", "0123456789abcdef/", "0123456789abcdefä"] {
            assert!(Token::chosen(wrong).is_err(), "{wrong}");
        }
        assert!(Token::chosen(&"a".repeat(201)).is_err());
    }
}

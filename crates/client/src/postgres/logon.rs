//! Proving to a server who we are.

use postgres_protocol::authentication::md5_hash;
use postgres_protocol::authentication::sasl::{ChannelBinding, SCRAM_SHA_256, ScramSha256};

use super::address::{AuthMethod, Logon};
use super::error::PgError;
use super::server_message::ServerMessage;
use super::wire::write;
use crate::used;

/// What a server wants to see; the numbers are the protocol's.
const OK: i32 = 0;
const CLEAR: i32 = 3;
const MD5: i32 = 5;
const SASL: i32 = 10;
const SASL_NEXT: i32 = 11;
const SASL_LAST: i32 = 12;

/// Answers a server's questions about who we are.
pub struct Proof<'a> {
    logon: &'a Logon,
    scram: Option<ScramSha256>,
    /// Whether the server, too, has still to prove that it knows the password.
    owed: bool,
    /// Whether nobody else can read what is said.
    is_private: bool,
    /// What the server has asked for.
    asked: AuthMethod,
}

impl<'a> Proof<'a> {
    /// Nothing proven yet. `is_private`: nobody else can read what is said.
    pub fn new(logon: &'a Logon, is_private: bool) -> Proof<'a> {
        Proof { logon, scram: None, owed: false, is_private, asked: AuthMethod::None }
    }

    /// What to say to an authentication request: maybe nothing.
    pub fn answer(&mut self, asked: &ServerMessage) -> Result<Vec<u8>, PgError> {
        let mut fields = asked.fields();
        let mut out = Vec::new();
        match fields.int32()? {
            OK => self.accept(self.asked)?,
            CLEAR => {
                self.accept(AuthMethod::Password)?;
                let is_wanted = self.logon.auth.names(AuthMethod::Password);
                if !self.is_private && !is_wanted {
                    return Err(PgError::Logon(CLEAR_TEXT.to_owned()));
                }
                write::password(&mut out, self.password()?);
            }
            MD5 => {
                self.accept(AuthMethod::Md5)?;
                let salt = [fields.byte()?, fields.byte()?, fields.byte()?, fields.byte()?];
                let hash = md5_hash(self.logon.user.as_bytes(), self.password()?.as_bytes(), salt);
                write::password(&mut out, &hash);
            }
            SASL => {
                self.accept(AuthMethod::ScramSha256)?;
                self.begin(fields.rest(), &mut out)?;
            }
            SASL_NEXT => {
                let scram = self.scram()?;
                scram.update(fields.rest()).map_err(|error| refused(&error))?;
                write::sasl_next(&mut out, scram.message());
            }
            SASL_LAST => {
                self.scram()?.finish(fields.rest()).map_err(|error| refused(&error))?;
                self.owed = false;
            }
            other => return Err(unknown(&format!("number {other}"))),
        }
        Ok(out)
    }

    /// The server asks for this: fine, if it may.
    fn accept(&mut self, method: AuthMethod) -> Result<(), PgError> {
        self.asked = method;
        if self.logon.auth.accepts(method) {
            return Ok(());
        }
        let what = match method {
            AuthMethod::None => "the server wants no password",
            AuthMethod::Password => "the server wants the password in clear text",
            AuthMethod::Md5 => "the server wants the password's MD5 hash",
            _ => "the server wants SCRAM",
        };
        Err(PgError::Logon(format!("{what}, which require_auth does not accept")))
    }

    fn begin(&mut self, mechanisms: &[u8], out: &mut Vec<u8>) -> Result<(), PgError> {
        let mut offered = mechanisms.split(|byte| *byte == 0);
        if !offered.any(|name| name == SCRAM_SHA_256.as_bytes()) {
            return Err(unknown("SASL other than SCRAM-SHA-256"));
        }
        let password = self.password()?.as_bytes();
        let scram = ScramSha256::new(password, ChannelBinding::unsupported());
        write::sasl_begin(out, SCRAM_SHA_256, scram.message());
        self.scram = Some(scram);
        self.owed = true;
        Ok(())
    }

    fn scram(&mut self) -> Result<&mut ScramSha256, PgError> {
        self.scram.as_mut().ok_or_else(|| unknown("SASL that was not begun"))
    }

    fn password(&self) -> Result<&'a str, PgError> {
        let logon = self.logon;
        let password = logon.password.as_deref().ok_or(PgError::Password)?;
        used::remember(password, &[&logon.user, &logon.database]);
        Ok(password)
    }

    /// We are let in: fine, if the server has proven what it had to.
    pub fn complete(&self) -> Result<(), PgError> {
        if self.owed {
            let words = "the server let us in without showing that it knows the password";
            return Err(PgError::Logon(words.to_owned()));
        }
        Ok(())
    }
}

const CLEAR_TEXT: &str = "the server wants the password in clear text, and the connection is not encrypted: \
    add sslmode=require, have the server's pg_hba.conf ask for scram-sha-256, or, where nobody can listen, \
    add require_auth=password";

fn refused(error: &std::io::Error) -> PgError {
    PgError::Logon(format!("the server's half of the logon is wrong: {error}"))
}

fn unknown(what: &str) -> PgError {
    PgError::Logon(format!(
        "the server wants to be logged on to in a way that is not known here ({what}): allow \
         scram-sha-256 for this user in its pg_hba.conf"
    ))
}

#[cfg(test)]
mod tests {
    use super::super::address::Nowhere;
    use super::*;

    fn logon(parameters: &str) -> Logon {
        Logon::read(&format!("u:Tr0ub4dor@h/d{parameters}"), &Nowhere).unwrap()
    }

    fn asked(kind: i32) -> ServerMessage {
        let salt = [1, 2, 3, 4];
        ServerMessage { tag: b'R', body: [&kind.to_be_bytes()[..], &salt].concat() }
    }

    #[test]
    fn a_password_goes_in_clear_text_only_where_nobody_can_listen_or_where_that_is_asked_for() {
        for (parameters, is_private, goes) in [
            ("", true, true),
            ("", false, false),
            ("?require_auth=password", false, true),
            ("?require_auth=password,scram-sha-256", false, true),
            ("?require_auth=!md5", false, false),
            ("?require_auth=scram-sha-256", true, false),
            ("?require_auth=!password", true, false),
        ] {
            let logon = logon(parameters);
            let answer = Proof::new(&logon, is_private).answer(&asked(CLEAR));
            let sent = answer.as_ref().is_ok_and(|bytes| bytes.ends_with(b"Tr0ub4dor\0"));
            assert_eq!(sent, goes, "{parameters} {is_private}: {answer:?}");
            if !goes {
                let error = answer.unwrap_err().to_string();
                assert!(error.contains("require_auth") && !error.contains("Tr0ub"), "{error}");
            }
        }
    }

    #[test]
    fn a_server_may_ask_only_for_what_is_required() {
        for (parameters, kind, accepted) in [
            ("?require_auth=md5", MD5, true),
            ("?require_auth=scram-sha-256", MD5, false),
            ("?require_auth=md5", OK, false),
            ("?require_auth=none", OK, true),
            ("?require_auth=!none", OK, false),
            ("", OK, true),
        ] {
            let logon = logon(parameters);
            let answer = Proof::new(&logon, false).answer(&asked(kind));
            assert_eq!(answer.is_ok(), accepted, "{parameters} {kind}: {answer:?}");
        }
        let logon = logon("?require_auth=md5");
        let mut proof = Proof::new(&logon, false);
        assert!(proof.answer(&asked(MD5)).is_ok() && proof.answer(&asked(OK)).is_ok());
    }
}

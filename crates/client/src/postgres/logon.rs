//! Proving to a server who we are.

use postgres_protocol::authentication::md5_hash;
use postgres_protocol::authentication::sasl::{ChannelBinding, SCRAM_SHA_256, ScramSha256};

use super::address::Logon;
use super::error::PgError;
use super::server_message::ServerMessage;
use super::wire::write;

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
}

impl<'a> Proof<'a> {
    /// Nothing proven yet.
    pub fn new(logon: &'a Logon) -> Proof<'a> {
        Proof { logon, scram: None, owed: false }
    }

    /// What to say to an authentication request: maybe nothing.
    pub fn answer(&mut self, asked: &ServerMessage) -> Result<Vec<u8>, PgError> {
        let mut fields = asked.fields();
        let mut out = Vec::new();
        match fields.int32()? {
            OK => {}
            CLEAR => write::password(&mut out, self.password()?),
            MD5 => {
                let salt = [fields.byte()?, fields.byte()?, fields.byte()?, fields.byte()?];
                let hash = md5_hash(self.logon.user.as_bytes(), self.password()?.as_bytes(), salt);
                write::password(&mut out, &hash);
            }
            SASL => self.begin(fields.rest(), &mut out)?,
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
        self.logon.password.as_deref().ok_or(PgError::Password)
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

fn refused(error: &std::io::Error) -> PgError {
    PgError::Logon(format!("the server's half of the logon is wrong: {error}"))
}

fn unknown(what: &str) -> PgError {
    PgError::Logon(format!(
        "the server wants to be logged on to in a way that is not known here ({what}): allow \
         scram-sha-256 for this user in its pg_hba.conf"
    ))
}

//! A connection on which one waits for each answer.

use crate::redis::Place;
use crate::redis::stream::Stream;
use crate::used;

use super::auth::Method;
use super::error::MySqlError;
use super::fields::Fields;
use super::greeting::{Greeting, fault, other_method, response};
use super::packets::Packets;
use super::rows::{Rows, answer};

/// The message of a statement.
const QUERY: u8 = 3;

/// Who logs on where.
#[derive(Clone)]
pub struct Login {
    /// Where the server is.
    pub place: Place,
    /// The user.
    pub user: String,
    /// The password; empty if there is none.
    pub password: String,
}

/// A connection that is logged on.
pub struct Session {
    packets: Packets<Stream>,
}

impl Session {
    /// Connects and logs on.
    pub fn open(login: &Login) -> Result<Session, MySqlError> {
        used::remember(&login.password, &[&login.user]);
        let (stream, _) = Stream::connect(&login.place)?;
        let secret = matches!(login.place, Place::Unix(_));
        let mut packets = Packets::new(stream);
        let greeting = Greeting::read(&packets.receive()?)?;
        // Where the usual method is none of ours, the user's may be one all the same.
        let method = Method::named(&greeting.method, &login.user).unwrap_or(Method::Native);
        let proof = method.proof(&login.password, &greeting.nonce);
        packets.send(&response(&login.user, method, &proof))?;
        log_on(&mut packets, login, secret)?;
        Ok(Session { packets })
    }

    /// Runs a statement and gives its rows.
    pub fn rows(&mut self, sql: &str) -> Result<Rows, MySqlError> {
        self.packets.begin();
        let mut body = vec![QUERY];
        body.extend(sql.bytes());
        self.packets.send(&body)?;
        answer(|| self.packets.receive())
    }
}

/// Answers what the server asks until it lets us in. `secret`: nobody can listen to the connection.
fn log_on(packets: &mut Packets<Stream>, login: &Login, secret: bool) -> Result<(), MySqlError> {
    /// No server asks more often.
    const MOST: usize = 8;
    /// What follows the byte 1: the password was known, or it must be reported.
    const KNOWN: u8 = 3;
    const UNKNOWN: u8 = 4;
    for _ in 0..MOST {
        let message = packets.receive()?;
        let mut fields = Fields(&message);
        match (fields.byte()?, fields.0) {
            (0, _) => return Ok(()),
            (0xff, _) => return Err(MySqlError::Server(fault(fields)?)),
            (0xfe, _) => {
                let asked = other_method(fields);
                let method = Method::named(&asked.method, &login.user)?;
                packets.send(&method.proof(&login.password, &asked.nonce))?;
            }
            (1, [KNOWN]) => {}
            (1, [UNKNOWN]) if secret => {
                let mut bytes = login.password.clone().into_bytes();
                bytes.push(0);
                packets.send(&bytes)?;
            }
            (1, [UNKNOWN]) => return Err(MySqlError::Logon(needs_tls(login))),
            _ => return Err(MySqlError::Wire("an unknown step of logging on")),
        }
    }
    Err(MySqlError::Wire("logging on does not end"))
}

fn needs_tls(login: &Login) -> String {
    format!(
        "the server has not seen {user} since it started, and wants the password over TLS, which \
         isotherm does not speak to MySQL: log on once with another client (mysql -h HOST -u \
         {user} -p), which makes the server remember it, connect over its socket \
         (mysql://{user}@/run/mysqld/mysqld.sock), or use a user with mysql_native_password",
        user = login.user
    )
}

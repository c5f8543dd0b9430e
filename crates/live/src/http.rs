//! What HTTP servers answer, in one piece.

use std::fmt;
use std::time::Duration;

use isotherm_frame::SharedMemory;
use thiserror::Error;

use crate::held::Held;
use crate::http_settings::{NO_LOGON, authorization};

/// The longest that a server may take to answer.
const TIMEOUT: Duration = Duration::from_secs(10);
/// The longest answer, bytes.
pub(crate) const LONGEST: u64 = 64 << 20;

/// A server that is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HttpServer {
    /// `host:port`
    pub(crate) place: String,
    /// Whether it is asked over TLS.
    pub(crate) is_secure: bool,
}

/// Asks one server, over connections that are kept open.
#[derive(Debug)]
pub(crate) struct HttpClient {
    agent: ureq::Agent,
    server: HttpServer,
    /// The logon that goes with each question. Not shown.
    authorization: Option<Secret>,
    timeout: Duration,
}

/// A text that is not shown.
struct Secret(String);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// An answer with the status that the server gave it.
#[derive(Debug)]
pub(crate) struct HttpAnswer {
    pub(crate) status: u16,
    pub(crate) body: Vec<u8>,
}

/// Why there is no answer.
#[derive(Debug, Error)]
pub(crate) enum HttpError {
    /// The server cannot be reached or broke off.
    #[error("{server}: {why}")]
    Unreachable {
        /// `host:port`
        server: String,
        /// What happened.
        why: String,
    },
    /// The answer takes too long.
    #[error("{server}: no answer within {} s", timeout.as_secs())]
    Late {
        /// `host:port`
        server: String,
        /// How long was waited for it.
        timeout: Duration,
    },
    /// What the environment gives for the logon or for TLS cannot be used.
    #[error("{0}")]
    Settings(String),
    /// There is no room for the answer beside others that are read at the same time.
    #[error("{server}: no room for the answer beside those of other addresses: all share {} MiB", LONGEST >> 20)]
    NoRoom {
        /// `host:port`
        server: String,
    },
    /// The answer is too long to be kept.
    #[error("{server}: the answer is longer than {} MiB", LONGEST >> 20)]
    TooLong {
        /// `host:port`
        server: String,
    },
}

impl HttpClient {
    /// For a server. Proxies are not used, and redirections not followed.
    pub(crate) fn new(server: &HttpServer) -> Result<HttpClient, HttpError> {
        HttpClient::waiting(server, TIMEOUT)
    }

    /// The same with another longest time to answer.
    pub(crate) fn waiting(server: &HttpServer, timeout: Duration) -> Result<HttpClient, HttpError> {
        let authorization = authorization(&server.place, server.is_secure);
        let authorization = authorization.map_err(HttpError::Settings)?.map(Secret);
        let settings = ureq::Agent::config_builder()
            .timeout_global(Some(timeout))
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .proxy(None)
            .user_agent("isotherm");
        #[cfg(feature = "https")]
        let settings = if server.is_secure {
            settings.tls_config(crate::http_settings::tls().map_err(HttpError::Settings)?)
        } else {
            settings
        };
        #[cfg(not(feature = "https"))]
        if server.is_secure {
            return Err(HttpError::Settings("this program was built without TLS".to_owned()));
        }
        let (agent, server) = (settings.build().into(), server.clone());
        Ok(HttpClient { agent, server, authorization, timeout })
    }

    /// `host:port`
    pub(crate) fn server(&self) -> &str {
        &self.server.place
    }

    /// What to add to the words about an answer with this status.
    pub(crate) fn hint(status: u16) -> &'static str {
        if matches!(status, 401 | 403) { NO_LOGON } else { "" }
    }

    /// Fetches a path with its parameters. Every status is an answer.
    pub(crate) fn get(&self, path: &str, accept: &str) -> Result<HttpAnswer, HttpError> {
        let mut answer = self.ask(path, accept)?;
        let status = answer.status().as_u16();
        let body = answer.body_mut().with_config().limit(LONGEST).read_to_vec();
        Ok(HttpAnswer { status, body: body.map_err(|error| self.failed(error))? })
    }

    /// The same where several answers share a room: the status, and the body.
    pub(crate) fn get_within(
        &self,
        path: &str,
        accept: &str,
        room: &SharedMemory,
    ) -> Result<(u16, Held), HttpError> {
        let mut answer = self.ask(path, accept)?;
        let (status, mut body) = (answer.status().as_u16(), Held::none(room));
        let read = body.read(&mut answer.body_mut().as_reader(), LONGEST + 1);
        let is_room = read.map_err(|error| self.failed(error.into()))?;
        let server = || self.server.place.clone();
        if body.len() as u64 > LONGEST {
            return Err(HttpError::TooLong { server: server() });
        }
        if is_room { Ok((status, body)) } else { Err(HttpError::NoRoom { server: server() }) }
    }

    fn ask(&self, path: &str, accept: &str) -> Result<ureq::http::Response<ureq::Body>, HttpError> {
        let scheme = if self.server.is_secure { "https" } else { "http" };
        let url = format!("{scheme}://{}{path}", self.server.place);
        let mut question = self.agent.get(url).header("Accept", accept);
        if let Some(Secret(value)) = &self.authorization {
            question = question.header("Authorization", value);
        }
        let answer = question.call().map_err(|error| self.failed(error))?;
        if answer.body().content_length().is_some_and(|length| length > LONGEST) {
            return Err(HttpError::TooLong { server: self.server.place.clone() });
        }
        Ok(answer)
    }

    fn failed(&self, error: ureq::Error) -> HttpError {
        let server = self.server.place.clone();
        let why = match error {
            ureq::Error::BodyExceedsLimit(_) => return HttpError::TooLong { server },
            ureq::Error::Timeout(_) => {
                return HttpError::Late { server, timeout: self.timeout };
            }
            ureq::Error::HostNotFound => "there is no such host".to_owned(),
            ureq::Error::Io(error) if error.kind() == std::io::ErrorKind::ConnectionRefused => {
                "nothing listens there".to_owned()
            }
            ureq::Error::Io(error) => error.to_string(),
            error => format!("the server does not speak HTTP as expected: {error}"),
        };
        HttpError::Unreachable { server, why }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;

    use super::*;

    /// A server that gives one answer.
    fn answering(bytes: &'static [u8]) -> HttpClient {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let place = listener.local_addr().unwrap().to_string();
        std::thread::spawn(move || {
            let mut stream = testing::bounded::accept(&listener).unwrap();
            let mut asked = [0; 4_096];
            let _ = stream.read(&mut asked).unwrap();
            stream.write_all(bytes).unwrap();
        });
        HttpClient::new(&plain(&place)).unwrap()
    }

    fn plain(place: &str) -> HttpServer {
        HttpServer { place: place.to_owned(), is_secure: false }
    }

    #[test]
    fn answers_of_every_status_are_given_whole() {
        let chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n";
        let answer = answering(chunked).get("/", "*/*").unwrap();
        assert_eq!((answer.status, answer.body.as_slice()), (200, &b"abcde"[..]));
        let missing = b"HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno";
        let answer = answering(missing).get("/x", "*/*").unwrap();
        assert_eq!((answer.status, answer.body.as_slice()), (404, &b"no"[..]));
        let moved =
            b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n";
        assert_eq!(answering(moved).get("/x", "*/*").unwrap().status, 302);
    }

    #[test]
    fn a_server_that_says_nothing_is_late() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let place = listener.local_addr().unwrap().to_string();
        let client = HttpClient::waiting(&plain(&place), Duration::from_millis(20)).unwrap();
        let late = client.get("/", "*/*").unwrap_err();
        assert!(matches!(late, HttpError::Late { .. }), "{late}");
    }

    #[test]
    fn what_is_no_answer_is_an_error_in_words() {
        let cut = b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc";
        assert!(answering(cut).get("/", "*/*").is_err());
        assert!(answering(b"SSH-2.0-x\r\n").get("/", "*/*").is_err());
        let long = b"HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n";
        let long = answering(long).get("/", "*/*").unwrap_err();
        assert!(matches!(long, HttpError::TooLong { .. }), "{long}");
        let refused = HttpClient::new(&plain("127.0.0.1:1"))
            .unwrap()
            .get("/", "*/*")
            .unwrap_err()
            .to_string();
        assert_eq!(refused, "127.0.0.1:1: nothing listens there");
    }
}

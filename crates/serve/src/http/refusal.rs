//! Why a request is not answered.

use thiserror::Error;

/// Why a request is refused, each with its status.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Refusal {
    /// The connection ended before a request was whole, or nothing can be read from it.
    #[error("the connection ended")]
    Gone,
    /// What came is no request that two programs would read alike.
    #[error("{0}")]
    Malformed(String),
    /// No token, or none that is known.
    #[error(
        "no valid token: open the address that isotherm serve printed, or send it as 'Authorization: Bearer TOKEN'"
    )]
    NoToken,
    /// The page of another site asks.
    #[error("requests of other sites are not answered")]
    ForeignOrigin,
    /// The token allows to look only.
    #[error("{0}")]
    NotAllowed(&'static str),
    /// There is nothing at this path.
    #[error("there is nothing at this path; see docs/guide/serve-api.md")]
    NotFound,
    /// The path takes other methods.
    #[error("this path takes {0} only")]
    WrongMethod(&'static str),
    /// The head or the body did not come in time.
    #[error("the request took too long")]
    TooSlow,
    /// The length of the body is missing.
    #[error("the request needs a body with Content-Length")]
    NoLength,
    /// The body is too long.
    #[error("the body has more than {0} bytes")]
    BodyTooLarge(usize),
    /// The body is no JSON.
    #[error("the body must be application/json")]
    WrongType,
    /// The host asked for is not one of ours.
    #[error("this host name is not served: name it with --name HOST:PORT")]
    UnknownHost,
    /// The head is too long.
    #[error("the head of the request has more than {0} bytes or too many fields")]
    HeadTooLarge(usize),
    /// Something went wrong here.
    #[error("{0}")]
    Failed(String),
    /// There are too many connections.
    #[error("too many clients: try again in some seconds")]
    TooManyClients,
    /// Not a version that is spoken here.
    #[error("only HTTP/1.1 is spoken here")]
    WrongVersion,
}

impl Refusal {
    /// The status and its usual words.
    pub fn status(&self) -> (u16, &'static str) {
        match self {
            Refusal::Gone | Refusal::Malformed(_) => (400, "Bad Request"),
            Refusal::NoToken => (401, "Unauthorized"),
            Refusal::ForeignOrigin | Refusal::NotAllowed(_) => (403, "Forbidden"),
            Refusal::NotFound => (404, "Not Found"),
            Refusal::WrongMethod(_) => (405, "Method Not Allowed"),
            Refusal::TooSlow => (408, "Request Timeout"),
            Refusal::NoLength => (411, "Length Required"),
            Refusal::BodyTooLarge(_) => (413, "Content Too Large"),
            Refusal::WrongType => (415, "Unsupported Media Type"),
            Refusal::UnknownHost => (421, "Misdirected Request"),
            Refusal::HeadTooLarge(_) => (431, "Request Header Fields Too Large"),
            Refusal::Failed(_) => (500, "Internal Server Error"),
            Refusal::TooManyClients => (503, "Service Unavailable"),
            Refusal::WrongVersion => (505, "HTTP Version Not Supported"),
        }
    }

    /// A field of the answer that says what would be right.
    pub fn field(&self) -> Option<(&'static str, &'static str)> {
        match self {
            Refusal::NoToken => Some(("WWW-Authenticate", "Bearer")),
            Refusal::WrongMethod(methods) => Some(("Allow", methods)),
            Refusal::TooManyClients => Some(("Retry-After", "5")),
            _ => None,
        }
    }

    /// What is no request.
    pub fn malformed(why: impl Into<String>) -> Refusal {
        Refusal::Malformed(why.into())
    }
}

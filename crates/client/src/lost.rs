//! Why a connection is gone, in words.

use std::borrow::Cow;
use std::io;

/// Why a connection is gone.
pub(crate) fn lost(error: &io::Error) -> Cow<'static, str> {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => Cow::Borrowed("the server closed the connection"),
        io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe => {
            Cow::Borrowed("the connection was lost")
        }
        io::ErrorKind::ConnectionRefused => Cow::Borrowed("nothing listens there"),
        io::ErrorKind::NotFound => Cow::Borrowed("there is no such socket or host"),
        io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => Cow::Borrowed("no answer in time"),
        _ => Cow::Owned(error.to_string()),
    }
}

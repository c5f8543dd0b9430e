//! Why a text is not the address of a server.

use thiserror::Error;

/// Why a text is not the address of a server.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AddressError {
    /// A `%` without two hexadecimal digits after it, or bytes that are no text.
    #[error("the {0} has a '%' that is not followed by two hexadecimal digits of a UTF-8 text")]
    Percent(&'static str),
    /// A port that is no number from 1 to 65535. It is not shown: it could be part of a password.
    #[error(
        "the port is not a number from 1 to 65535 (in a password, write / as %2F, : as %3A, \
         @ as %40, ? as %3F)"
    )]
    Port,
    /// An `@` among the parameters.
    #[error("an '@' follows a '?': in a password write ? as %3F, in a parameter @ as %40")]
    At,
    /// More than one host.
    #[error("several hosts are given: give the one to be loaded")]
    Hosts,
    /// A bracket that is not closed.
    #[error("an address in brackets has no ']': write it as [::1]")]
    Bracket,
    /// A parameter without `=`.
    #[error("the parameter '{0}' has no value: write {0}=...")]
    Value(String),
    /// A parameter that is not known here.
    #[error(
        "the parameter '{0}' is not known here: those that are: host, port, user, password, \
         dbname, passfile, sslmode, sslrootcert, application_name, connect_timeout, options, \
         require_auth, channel_binding"
    )]
    Parameter(String),
    /// A way to use TLS that is not known.
    #[error("'{0}' is not a way to use TLS: give sslmode=disable, prefer, require or verify-full")]
    Tls(String),
    /// A list of ways to log on that cannot be read.
    #[error(
        "'{0}' is not a list for require_auth: name none, password, md5 or scram-sha-256, or those that are \
         not accepted, each with a '!'"
    )]
    Auth(String),
    /// Channel binding is not spoken.
    #[error(
        "channel_binding=require: isotherm does not bind the log-on to TLS: use sslmode=verify-full, which \
         makes sure of the server, and leave channel_binding out"
    )]
    Binding,
    /// A value of `channel_binding` that is not known.
    #[error("'{0}' is not a value of channel_binding: give disable or prefer")]
    BindingValue(String),
    /// A timeout that is no number of seconds.
    #[error("'{0}' is not a number of seconds for connect_timeout")]
    Timeout(String),
}

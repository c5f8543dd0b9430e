//! `mysql://...`: a server that is asked live.

use isotherm_formats::DecodeError;
use isotherm_formats::mysql::Naming;
use isotherm_formats::unread_options::no_conditions;
use isotherm_frame::Nanos;

use super::address::MySqlAddress;
use super::meta;
use super::polled::{Asked, KeptSeries, Server, Starts};
use super::server::AskError;
use crate::feed::{LiveOptions, OpenError, Running};
use crate::live::{Live, LiveAddress, LiveScheme, Start, Target};
use crate::password;
use crate::polling::{PollError, start};

/// The variable of the environment that holds the password.
const VARIABLE: &str = "MYSQL_PWD";
/// The number of the error that a password is wrong.
const ACCESS_DENIED: u16 = 1045;

/// `mysql://...` and `mariadb://...`.
pub(crate) static LIVE: Live = Live {
    metas: &[&meta::LIVE],
    schemes: &[
        LiveScheme { name: "mysql", needs: "a server", example: "mysql://monitor@db1" },
        LiveScheme { name: "mariadb", needs: "a server", example: "mariadb://monitor@db1" },
    ],
    target: |scheme, rest| Ok(LiveAddress::new(MySqlAddress::read(scheme, rest)?)),
    load_instead: |_| None,
};

impl Target for MySqlAddress {
    fn connects(&self) -> bool {
        true
    }

    fn open(&self, options: &LiveOptions, begin: Start) -> Result<Running, OpenError> {
        let mut outbox = begin.outbox;
        let context = &options.context;
        if !context.only.is_empty() {
            return Err(DecodeError::Nothing(no_conditions("mysql")).into());
        }
        let naming = match context.by.as_slice() {
            [] => None,
            by => Some(Naming::by(by).map_err(DecodeError::Nothing)?),
        };
        let file = self.password_file.as_deref();
        let known = password::known(&self.target(), file, self.password.as_deref(), VARIABLE)?;
        outbox.keep_warnings(known.warning);
        let mut server = Server {
            address: self.clone(),
            password: known.password,
            naming,
            kept: KeptSeries::new(context.most_series()),
            starts: Starts::default(),
        };
        let session = connect(&mut server)?;
        let interval = options.interval.unwrap_or(Nanos::SECOND);
        start("isotherm-mysql", server, session, outbox, interval)
    }
}

/// Connects, asking for a password on the terminal if the server wants one and none is known.
fn connect(server: &mut Server) -> Result<Asked, OpenError> {
    let opened = match server.open() {
        Err(AskError::Client(error)) if error.is(&[ACCESS_DENIED]) && server.password.is_none() => {
            let found = password::find(&server.address.target(), None, VARIABLE)?;
            server.password = Some(found.secret.reveal().to_owned());
            server.open()
        }
        other => other,
    };
    opened.map_err(|error| match server.explained(error) {
        PollError::Refused(why) | PollError::Lost(why) => OpenError::Server(why),
    })
}

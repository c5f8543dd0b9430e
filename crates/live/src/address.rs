//! The one grammar in which sources are named.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use isotherm_formats::nearest;
use isotherm_frame::typed::split_scheme;

use crate::LIVE;
use crate::address_error::AddressError;
use crate::feed::OpenError;
use crate::live::{Live, LiveAddress, LiveScheme};
use crate::oracle::OracleAddress;
use crate::schemes::{FILE, address_schemes};
use crate::wait_event::WaitEvent;

/// Where latencies are to come from.
///
/// Displays as what it parses from: `-`, `waits.txt`, `probe:.`, `disk:vda`,
/// `bpftrace:reads.bt`, `cmd:iosnoop -t`, `oracle://scott@db1/SALES`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Address {
    /// Standard input.
    Stdin,
    /// A file or named pipe, recognised by its content.
    File(PathBuf),
    /// A live source.
    Live(LiveAddress),
}

impl Address {
    /// The Oracle database that it leads to, if it does.
    pub fn oracle(&self) -> Option<&OracleAddress> {
        match self {
            Address::Live(live) => live.downcast(),
            Address::Stdin | Address::File(_) => None,
        }
    }
}

impl Address {
    /// Whether seconds may pass between opening it and what it measures first.
    pub fn starts_slowly(&self) -> bool {
        matches!(self, Address::Live(live) if live.target().starts_slowly())
    }

    /// What a server has to show, those events first that took longest; `None` of an address that
    /// leads to no such server. What the user should know is given to `warn`. Blocks until there is an
    /// answer.
    pub fn events(
        &self,
        warn: &mut dyn FnMut(String),
    ) -> Option<Result<Vec<WaitEvent>, OpenError>> {
        match self {
            Address::Live(live) => live.target().events(warn),
            Address::Stdin | Address::File(_) => None,
        }
    }
}

impl From<OracleAddress> for Address {
    fn from(oracle: OracleAddress) -> Address {
        Address::Live(LiveAddress::new(oracle))
    }
}

/// Servers that later versions will ask directly.
const NOT_YET: [&str; 3] = ["rediss", "http", "https"];

impl FromStr for Address {
    type Err = AddressError;

    /// Reads an address. What begins with letters and a colon is a scheme; everything else,
    /// `./a:b` and `2026-11-21T10:00.txt` among it, is a path.
    fn from_str(text: &str) -> Result<Address, AddressError> {
        match text {
            "" => return Err(AddressError::Empty),
            "-" => return Ok(Address::Stdin),
            _ => {}
        }
        let Some((scheme, rest)) = split_scheme(text) else {
            return Ok(Address::File(PathBuf::from(text)));
        };
        if let Some((live, known)) = schemes().find(|(_, known)| known.name == scheme) {
            let LiveScheme { name: scheme, needs, example } = *known;
            if !needs.is_empty() && rest.trim().is_empty() {
                return Err(AddressError::Incomplete { scheme, what: needs, example });
            }
            return (live.target)(scheme, rest).map(Address::Live);
        }
        if scheme == FILE {
            let incomplete = AddressError::Incomplete {
                scheme: FILE,
                what: "a path",
                example: "file:waits.txt",
            };
            return if rest.is_empty() {
                Err(incomplete)
            } else {
                Ok(Address::File(written(rest).into()))
            };
        }
        if address_schemes().iter().any(|known| known.name == scheme && known.is_loaded) {
            return Err(AddressError::OnlyLoaded { text: text.to_owned(), known: known_schemes() });
        }
        if NOT_YET.contains(&scheme) {
            return Err(AddressError::NotYet { scheme: scheme.to_owned() });
        }
        Err(AddressError::Unknown {
            scheme: scheme.to_owned(),
            text: text.to_owned(),
            known: known_schemes(),
            near: near(scheme),
        })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&match self {
            Address::Stdin => "-".to_owned(),
            Address::File(path) => {
                let path = path.to_string_lossy();
                written(&path)
            }
            Address::Live(live) => live.to_string(),
        })
    }
}

/// A path as it is written so that it is taken for nothing else.
fn written(path: &str) -> String {
    let misread = path == "-" || split_scheme(path).is_some();
    if misread { format!("./{path}") } else { path.to_owned() }
}

/// Every scheme, with the source it leads to.
fn schemes() -> impl Iterator<Item = (&'static Live, &'static LiveScheme)> {
    LIVE.iter().flat_map(|live| live.schemes.iter().map(move |scheme| (*live, scheme)))
}

/// `probe:, disk: and awr:`.
fn known_schemes() -> String {
    let names: Vec<String> = schemes().map(|(_, scheme)| format!("{}:", scheme.name)).collect();
    match names.as_slice() {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        names => names.concat(),
    }
}

/// The schemes within two edits of `unknown`, nearest first.
fn near(unknown: &str) -> Vec<&'static str> {
    let names: Vec<&str> = schemes().map(|(_, scheme)| scheme.name).collect();
    nearest(unknown, &names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parsed(text: &str) -> Address {
        text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[test]
    fn each_form_is_read() {
        assert_eq!(parsed("-"), Address::Stdin);
        assert_eq!(parsed("waits.txt"), Address::File("waits.txt".into()));
        assert_eq!(parsed("./a:b"), Address::File("./a:b".into()));
        assert_eq!(parsed("/tmp/cmd:x"), Address::File("/tmp/cmd:x".into()));
        assert_eq!(parsed("2026-11-21T10:00.txt"), Address::File("2026-11-21T10:00.txt".into()));
        assert_eq!(parsed("Trace:1"), Address::File("Trace:1".into()));
        assert_eq!(parsed("file:waits.txt"), Address::File("waits.txt".into()));
        for misread in ["file:-", "file:a:b", "file:file:x"] {
            assert_eq!(parsed(&parsed(misread).to_string()), parsed(misread), "{misread}");
        }
        for live in ["probe:.", "probe:/a:b", "disk:", "disk:vda", "bpftrace:x.bt", "cmd:echo a:b"]
        {
            assert!(matches!(parsed(live), Address::Live(_)), "{live}");
            assert_eq!(parsed(live).to_string(), live);
        }
        for oracle in ["oracle://u@h/s?inst=1", "sqlplus:", "awr:oracle+tcps://u@h/s"] {
            assert!(parsed(oracle).oracle().is_some(), "{oracle}");
            assert_eq!(parsed(oracle).to_string(), oracle);
        }
    }

    #[test]
    fn what_is_wrong_says_what_to_do() {
        let message = |text: &str| text.parse::<Address>().expect_err(text).to_string();
        assert!(message("").contains("probe:."));
        assert_eq!(message("probe:"), "'probe:' needs a path, such as probe:.");
        assert_eq!(message("cmd: "), "'cmd:' needs a command, such as cmd:'iosnoop -t'");
        assert!(message("prob:.").contains("did you mean probe:?"), "{}", message("prob:."));
        assert!(message("disc:vda").contains("did you mean disk:?"));
        assert!(message("cdm:ls").contains("did you mean cmd:?"));
        assert!(message("orcale://u@h/s").contains("did you mean oracle:?"));
        assert!(message("oracle://h/s").contains("oracle://USER@HOST"));
        assert!(message("zebra:x").contains("'./zebra:x'"));
        assert!(message("sim:servers=4").contains("isotherm stress sim:servers=4"));
        assert!(!message("zebra:x").contains("did you mean"));
        for server in ["rediss://h", "https://h:9090/m"] {
            assert!(message(server).contains("is not in this version"), "{}", message(server));
        }
    }

    #[test]
    fn a_file_never_displays_as_something_else() {
        for path in ["-", "cmd:rm", "disk:", "a:b"] {
            let shown = Address::File(path.into()).to_string();
            assert_eq!(parsed(&shown), Address::File(format!("./{path}").into()));
        }
    }

    proptest! {
        #[test]
        fn every_text_is_an_address_that_reads_back_or_an_error(
            text in "(probe:|disk:|bpftrace:|cmd:|oracle://u@|sqlplus:|awr:sqlplus:|./|-)?[ -~éµ]{0,12}",
        ) {
            if let Ok(address) = text.parse::<Address>() {
                prop_assert_eq!(address.to_string(), text);
            }
        }
    }
}

//! One table of the ways in which addresses begin, of what is watched and of what is loaded.

use isotherm_frame::typed::split_scheme;
use isotherm_load::ENGINES;

use crate::LIVE;

/// How addresses of one kind begin, and what can be done with them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddressScheme {
    /// What stands before the colon.
    pub name: &'static str,
    /// A whole address.
    pub example: &'static str,
    /// Whether it can be watched, and recorded: by `live`, `record` and beside a load.
    pub is_watched: bool,
    /// Whether it can be put under load: by `stress`, `sweep` and `calibrate`.
    pub is_loaded: bool,
}

/// Every scheme, of what can be watched first.
pub fn address_schemes() -> Vec<AddressScheme> {
    let mut all: Vec<AddressScheme> = Vec::new();
    for live in LIVE.iter().flat_map(|live| live.schemes) {
        let (name, example) = (live.name, live.example);
        all.push(AddressScheme { name, example, is_watched: true, is_loaded: false });
    }
    for engine in ENGINES {
        for begin in engine.schemes() {
            let name = begin.split_once(':').map_or(*begin, |(name, _)| name);
            match all.iter_mut().find(|known| known.name == name) {
                Some(known) => known.is_loaded = true,
                None => all.push(AddressScheme {
                    name,
                    example: engine.example(),
                    // A file is read by its name.
                    is_watched: name == FILE,
                    is_loaded: true,
                }),
            }
        }
    }
    all
}

/// What a file of any name may be written with.
pub(crate) const FILE: &str = "file";

/// Why an address that can only be watched is not put under load, and what to do instead; `None` for any
/// other text.
pub fn watched_only(text: &str) -> Option<String> {
    let (name, rest) = split_scheme(text)?;
    let known = address_schemes().into_iter().find(|known| known.name == name)?;
    if !known.is_watched || known.is_loaded {
        return None;
    }
    let live = LIVE.iter().find(|live| live.schemes.iter().any(|scheme| scheme.name == name))?;
    let instead = match (live.load_instead)(rest) {
        Some(address) => format!("write {address}"),
        None => "watch it with isotherm live".to_owned(),
    };
    Some(format!(
        "'{text}' can be watched, not loaded: {instead}; a file of that name is written file:{text}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scheme_stands_there_once() {
        let all = address_schemes();
        let of = |name: &str| {
            let mut found = all.iter().filter(|scheme| scheme.name == name);
            let one = found.next().map(|scheme| (scheme.is_watched, scheme.is_loaded));
            assert!(found.next().is_none(), "{name}");
            one
        };
        assert_eq!(of("probe"), Some((true, false)));
        assert_eq!(of("disk"), Some((true, false)));
        assert_eq!(of("sim"), Some((false, true)));
        for both in ["file", "oracle", "postgres", "redis"] {
            assert_eq!(of(both), Some((true, true)), "{both}");
        }
        assert_eq!(of("zebra"), None);
    }

    #[test]
    fn what_is_only_watched_says_what_to_load() {
        let said = |text: &str| watched_only(text).unwrap_or_default();
        assert!(said("disk:vda").contains("write /dev/vda; "), "{}", said("disk:vda"));
        assert!(said("probe:/data").contains("write file:/data/isotherm.dat; "));
        assert!(said("runq:").contains("isotherm live"), "{}", said("runq:"));
        for other in ["sim:", "postgres://h/d", "zebra:x", "file:x", "x.dat", "disk"] {
            assert_eq!(watched_only(other), None, "{other}");
        }
    }
}

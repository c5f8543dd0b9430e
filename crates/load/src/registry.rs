//! The list of the kinds of systems that load can be made on.

use crate::engines::EngineKind;

/// Lists the kinds: each word is a module with a `pub(crate) static ENGINE`.
macro_rules! engines {
    ($($module:ident),* $(,)?) => {
        /// Every kind, in the order in which messages list them.
        pub static ENGINES: &[&dyn EngineKind] = &[$(&crate::$module::ENGINE),*];
    };
}

engines![file, postgres, oracle, redis, simulated];

/// The kind that an address belongs to: a text without a scheme is a file.
pub fn engine_of(address: &str) -> &'static dyn EngineKind {
    let begins =
        |kind: &&&dyn EngineKind| kind.schemes().iter().any(|scheme| address.starts_with(scheme));
    ENGINES.iter().find(begins).copied().unwrap_or(&crate::file::ENGINE)
}

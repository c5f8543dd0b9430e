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

/// Examples of the targets that an option is about, if this target is none of them.
pub fn others_that_take(option: &str, target: &str) -> Option<String> {
    let takes = |engine: &&dyn EngineKind| engine.options().contains(&option);
    if takes(&engine_of(target)) {
        return None;
    }
    let others = ENGINES.iter().copied().filter(takes);
    let others: Vec<&str> = others.map(EngineKind::example).collect();
    Some(match others.split_last() {
        Some((last, before)) if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        _ => others.concat(),
    })
}

/// That an option or a variable called `name` is not about this target, if it is not.
pub fn not_for(name: &str, option: &str, target: &str) -> Option<String> {
    let right = others_that_take(option, target)?;
    let instead = match option {
        "size" => Some("scale"),
        "scale" => Some("size"),
        _ => None,
    };
    let instead = instead.filter(|option| engine_of(target).options().contains(option));
    let dashes = if name.starts_with("--") { "--" } else { "" };
    let hint = instead.map_or_else(String::new, |option| format!("; use {dashes}{option}"));
    Some(format!("{name} is for {right}, not for '{target}'{hint}"))
}

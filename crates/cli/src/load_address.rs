//! What is put under load: its address, and where its password comes from.

use isotherm_live::{
    Address as SourceAddress, AddressError as SourceError, OracleAddress, find_password,
    password_in_address, watched_only,
};
use isotherm_load::{Address, AddressError, ENGINES, EngineKind, Job, LoadError, wants_password};

use crate::failure::{Code, Failure};
use crate::redact::redacted;
use crate::screen;

/// The help of a target: every kind of system that can be loaded.
pub fn target_help() -> String {
    let name = |engine: &&dyn EngineKind| {
        let first = engine.schemes().first().copied().unwrap_or_default();
        first.split_inclusive(':').next().unwrap_or_default().to_owned()
    };
    let names: Vec<String> = ENGINES.iter().map(name).collect();
    let (last, rest) =
        names.split_last().map_or((String::new(), &[][..]), |(last, rest)| (last.clone(), rest));
    format!("What to load: FILE, or an address of {} or {last}", rest.join(", "))
}

/// What `target` names, with the password of a server: from the file that the address names, from
/// the environment, or by asking on the terminal.
pub fn address(target: &str) -> Result<Address, Failure> {
    match Address::parse(target) {
        Ok(address) => with_password(address),
        Err(AddressError::Oracle) => oracle(target),
        Err(error) => Err(not_loaded(&error)),
    }
}

/// Whether an address, which may be without its password, and a job make sense to the kind of system.
/// Nothing is asked of it.
pub fn check(target: &str, job: &Job) -> Result<(), Failure> {
    match Address::parse(target) {
        Ok(address) => Ok(isotherm_load::check_target(&address, job)?),
        Err(AddressError::Oracle) => Ok(of_oracle(target)?.for_load().map(drop)?),
        Err(error) => Err(not_loaded(&error)),
    }
}

/// Why a text is not put under load.
fn not_loaded(error: &AddressError) -> Failure {
    let watched = match error {
        AddressError::NotLoaded(text) | AddressError::Unknown(text) => {
            watched_only(&redacted(text))
        }
        _ => None,
    };
    Failure::usage(watched.unwrap_or_else(|| error.to_string()))
}

/// Where the password of `PostgreSQL` or Redis comes from. What is in the environment or the
/// password file of the server's own clients is found by the engine.
fn with_password(mut address: Address) -> Result<Address, Failure> {
    let Some(variable) = address.password_variable() else { return Ok(address) };
    let file = address.take_password_file();
    if address.has_password() {
        screen::warn(&password_in_address(variable));
        return Ok(address);
    }
    if file.is_none() && !(can_ask() && wants_password(&address)) {
        return Ok(address);
    }
    let mut warn = |text: String| screen::warn(&text);
    let found = find_password(&address.target(), file.as_deref(), variable, &mut warn);
    let password = found.map_err(|error| Failure::new(Code::Unreachable, error.to_string()))?;
    Ok(address.with_password(&password))
}

/// Whether there is a terminal to ask on.
fn can_ask() -> bool {
    std::fs::File::options().read(true).write(true).open("/dev/tty").is_ok()
}

fn of_oracle(target: &str) -> Result<OracleAddress, Failure> {
    let parsed: Result<SourceAddress, SourceError> = target.parse();
    let parsed = parsed.map_err(|error| Failure::usage(error.to_string()))?;
    parsed.oracle().cloned().ok_or_else(|| {
        Failure::usage(format!(
            "'{target}' is no address of a database: oracle://USER@HOST[:PORT]/SERVICE"
        ))
    })
}

fn oracle(target: &str) -> Result<Address, Failure> {
    let address = of_oracle(target)?;
    Ok(Address::oracle(address.credentials(&mut |text| screen::warn(&text))?))
}

impl From<LoadError> for Failure {
    fn from(error: LoadError) -> Failure {
        let code = match &error {
            LoadError::Job(_) | LoadError::Unsafe(_) => Code::Usage,
            LoadError::Unreachable(_) | LoadError::Password(_) => Code::Unreachable,
            LoadError::Failed(_) => Code::Runtime,
        };
        Failure::new(code, error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_distinguished() {
        assert_eq!(address("file:x").unwrap(), Address::file("x"));
        assert_eq!(address("sim:a").unwrap().engine().name(), "sim");
        let refusal = |text: &str| address(text).unwrap_err();
        assert_eq!(refusal("http://h").code, Code::Usage);
        assert!(refusal("oracle://h").message.contains("oracle://USER@HOST"));
        let absent = refusal("oracle://u@h/s?password_file=/nonexistent/pw");
        assert_eq!(absent.code, Code::Unreachable);
        assert!(absent.message.contains("/nonexistent/pw"));
    }
}

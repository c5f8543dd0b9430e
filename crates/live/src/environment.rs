//! What programs that we run are reported by the environment: no passwords.

use std::process::Command;

/// Parts of the names of variables that hold secrets.
const SECRET: [&str; 8] =
    ["PASSWORD", "PASSWD", "PASSPHRASE", "_PWD", "SECRET", "TOKEN", "APIKEY", "REDISCLI_AUTH"];

/// Keeps isotherm's own passwords (`ISOTHERM_ORACLE_PASSWORD` and its kin) from a program. Others
/// stay: a command of the user's, such as psql, may need them.
pub(crate) fn without_own_secrets(command: &mut Command) {
    remove(command, |name| name.starts_with("ISOTHERM_") && is_secret(name));
}

/// Keeps every password from a program that needs none.
pub fn without_secrets(command: &mut Command) {
    remove(command, is_secret);
}

fn is_secret(name: &str) -> bool {
    SECRET.iter().any(|part| name.contains(part))
}

fn remove(command: &mut Command, unwanted: impl Fn(&str) -> bool) {
    for (name, _) in std::env::vars_os() {
        if unwanted(&name.to_string_lossy().to_ascii_uppercase()) {
            command.env_remove(name);
        }
    }
}

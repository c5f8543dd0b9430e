//! Options that are about Oracle databases: short for what may stand in the address.

use clap::Args;
use isotherm_live::Address;

use crate::failure::Failure;

/// What to ask an Oracle database for.
#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "Oracle")]
pub struct OracleArgs {
    /// awr: begin the history here: a date and time in UTC, or how long ago (7d)
    #[arg(long, value_name = "WHEN")]
    pub since: Option<String>,
    /// awr: end the history here
    #[arg(long, value_name = "WHEN")]
    pub until: Option<String>,
    /// One series for each container (of a database that is asked live)
    #[arg(long)]
    pub per_pdb: bool,
    /// Count idle waits, such as SQL*Net message from client; they are left out otherwise
    #[arg(long)]
    pub idle: bool,
}

impl OracleArgs {
    /// The address that `text` and these options name.
    pub fn address(&self, text: &str) -> Result<Address, Failure> {
        let address: Address = text.parse().map_err(|error| Failure::usage(format!("{error}")))?;
        let Some(oracle) = address.oracle() else {
            self.no_history(text)?;
            if self.per_pdb {
                return Err(out_of_place("--per-pdb", "oracle: and sqlplus:", text));
            }
            return Ok(address);
        };
        let mut oracle = oracle.clone();
        let options = &mut oracle.options;
        if self.idle && options.events.is_empty() {
            // Events that are asked for by name are counted whatever their class.
            options.events.push("*".to_owned());
        }
        if oracle.history {
            if self.per_pdb {
                return Err(out_of_place("--per-pdb", "databases asked live", text));
            }
            options.since = self.since.clone().or(options.since.take());
            options.until = self.until.clone().or(options.until.take());
        } else {
            self.no_history(text)?;
            options.per_pdb |= self.per_pdb;
        }
        Ok(oracle.into())
    }

    fn no_history(&self, text: &str) -> Result<(), Failure> {
        let given = [("--since", &self.since), ("--until", &self.until)];
        match given.iter().find(|(_, value)| value.is_some()) {
            Some((option, _)) => Err(out_of_place(option, "awr:", text)),
            None => Ok(()),
        }
    }
}

fn out_of_place(option: &str, right: &str, text: &str) -> Failure {
    let text = crate::redact::redacted(text);
    Failure::usage(format!("{option} is for {right}, and '{text}' is not"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history(since: Option<&str>) -> OracleArgs {
        OracleArgs { since: since.map(str::to_owned), ..OracleArgs::default() }
    }

    #[test]
    fn options_are_short_for_what_stands_in_the_address() {
        let address = history(Some("7d")).address("awr:sqlplus:/?until=2026-11-08").unwrap();
        let oracle = address.oracle().unwrap();
        assert_eq!(oracle.options.since.as_deref(), Some("7d"));
        assert_eq!(oracle.options.until.as_deref(), Some("2026-11-08"));
        let idle = OracleArgs { idle: true, ..OracleArgs::default() };
        for (text, events) in [("sqlplus:/", "*"), ("sqlplus:/?event=log*", "log*")] {
            let address = idle.address(text).unwrap();
            let oracle = address.oracle().expect(text);
            assert_eq!(oracle.options.events, [events]);
        }
        let per_pdb = OracleArgs { per_pdb: true, ..OracleArgs::default() };
        let address = per_pdb.address("sqlplus:/").unwrap();
        let oracle = address.oracle().unwrap();
        assert!(oracle.options.per_pdb);
    }

    #[test]
    fn an_option_out_of_place_is_an_error() {
        let message = |args: OracleArgs, text: &str| args.address(text).unwrap_err().message;
        assert_eq!(
            message(history(Some("7d")), "probe:."),
            "--since is for awr:, and 'probe:.' is not"
        );
        assert!(message(history(Some("7d")), "sqlplus:/").contains("--since is for awr:"));
        let per_pdb = OracleArgs { per_pdb: true, ..OracleArgs::default() };
        assert!(message(per_pdb.clone(), "awr:sqlplus:/").contains("asked live"));
        assert!(message(per_pdb, "x.txt").contains("oracle: and sqlplus:"));
        assert_eq!(OracleArgs::default().address("-").unwrap(), Address::Stdin);
    }
}

//! The account that `PostgreSQL` runs as: it refuses to run as root.

use crate::LabError;

/// A user and its group.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Account {
    pub user: u32,
    pub group: u32,
}

/// Accounts without rights of their own, best first.
const NAMES: [&str; 2] = ["postgres", "nobody"];

impl Account {
    /// The account to run a server as; none where it may run as the user who runs the lab.
    pub fn of_server() -> Result<Option<Account>, LabError> {
        if !rustix::process::geteuid().is_root() {
            return Ok(None);
        }
        let accounts = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
        NAMES.iter().find_map(|name| named(&accounts, name)).map(Some).ok_or_else(|| {
            LabError::Unreadable {
                what: "/etc/passwd".to_owned(),
                why: "it has no user postgres or nobody, and PostgreSQL refuses to run as root"
                    .to_owned(),
                next: "run the lab as another user, or name a server with --server",
            }
        })
    }
}

/// The account of this name in the text of `/etc/passwd`.
fn named(accounts: &str, name: &str) -> Option<Account> {
    accounts.lines().find_map(|line| {
        let mut fields = line.split(':');
        (fields.next()? == name).then_some(())?;
        let user = fields.nth(1)?.parse().ok()?;
        Some(Account { user, group: fields.next()?.parse().ok()? })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accounts_are_found_by_their_whole_name() {
        let text = "root:x:0:0:root:/root:/bin/sh\npostgres2:x:5:6::/:\nbad\n\
                    postgres:x:105:113:PostgreSQL,,,:/var/lib/postgresql:/bin/bash\n";
        assert_eq!(named(text, "postgres"), Some(Account { user: 105, group: 113 }));
        assert_eq!(named(text, "nobody"), None);
        assert_eq!(named("postgres:x:many:1", "postgres"), None);
    }
}

//! The message about idle waits that do not count.

use isotherm_frame::Account;
use isotherm_views::InputAccount;

/// The message about the idle waits that were left out; `None` if there were none.
pub fn message(account: &Account) -> Option<String> {
    let account = InputAccount { read: account.clone(), ..InputAccount::default() };
    account.idle_left_out().map(|idle| format!("left out: {idle} (--idle)"))
}

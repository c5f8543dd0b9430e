//! Which instances an address names, for what is asked beside the live view: it takes no other option of that.

use super::{OracleAddress, OracleOptions};
use crate::feed::OpenError;

/// The only instances to look at, or none where all are. An error where the address says more than that and how
/// to get in.
pub(crate) fn instances(address: &OracleAddress) -> Result<&[u32], OpenError> {
    if address.history {
        let text = "awr: is history: name the database itself, such as oracle://monitor@db1/SALES";
        return Err(OpenError::Option(text.into()));
    }
    if !is_plain(&address.options) {
        let text = "event=, sample= and the like are for isotherm live: leave them out here";
        return Err(OpenError::Option(text.into()));
    }
    Ok(&address.options.inst)
}

/// Fails where an address names instances, too: what is asked is of the instance connected to.
pub(crate) fn no_instances(address: &OracleAddress) -> Result<(), OpenError> {
    if instances(address)?.is_empty() {
        return Ok(());
    }
    let text = "this is asked of the instance connected to: leave inst= out, and give that instance's own address";
    Err(OpenError::Option(text.into()))
}

/// The condition that leaves only these instances of a view, or none where all are wanted.
pub(crate) fn only_instances(view: &str, instances: &[u32]) -> String {
    if instances.is_empty() {
        return String::new();
    }
    let numbers: Vec<String> = instances.iter().map(u32::to_string).collect();
    format!("\n    WHERE {view}.inst_id IN ({})", numbers.join(", "))
}

fn is_plain(options: &OracleOptions) -> bool {
    let OracleOptions { inst, connect_timeout, password_file, tns_admin, wallet, role, .. } =
        options;
    let way_in = OracleOptions {
        inst: inst.clone(),
        connect_timeout: *connect_timeout,
        password_file: password_file.clone(),
        tns_admin: tns_admin.clone(),
        wallet: wallet.clone(),
        role: *role,
        ..OracleOptions::default()
    };
    *options == way_in
}

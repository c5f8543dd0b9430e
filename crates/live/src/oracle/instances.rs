//! Which instances of a database the screens of `top` look at.

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
        let text = "event=, sample= and the like are for isotherm live: leave them out here; inst=N \
                    chooses an instance";
        return Err(OpenError::Option(text.into()));
    }
    Ok(&address.options.inst)
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

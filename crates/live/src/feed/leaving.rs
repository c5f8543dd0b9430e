//! What is opened and takes long can be left.

use crate::password;

use super::OpenError;

/// Opens something in a thread that is left behind once there is a reason to.
pub(crate) fn leave_unless<T: Send + 'static>(
    open: impl FnOnce() -> Result<T, OpenError> + Send + 'static,
    left: &mut dyn FnMut() -> Option<OpenError>,
) -> Result<T, OpenError> {
    match isotherm_client::leave::unless(open, left) {
        Ok(Ok(opened)) => opened,
        Ok(Err(reason)) => {
            password::leave_terminal();
            Err(reason)
        }
        Err(source) => Err(OpenError::NotStarted { program: "a thread".into(), source }),
    }
}

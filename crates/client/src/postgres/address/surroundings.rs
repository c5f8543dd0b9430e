//! The machine around us, as far as addresses ask for it.

use std::path::Path;

/// What is asked of the machine for what an address leaves out.
pub trait Surroundings {
    /// A variable of the environment that is not empty.
    fn variable(&self, name: &str) -> Option<String>;
    /// The name of the user who runs this.
    fn user(&self) -> Option<String>;
    /// The text of a password file, if it is there and nobody else can read it.
    fn passfile(&self, path: &Path) -> Option<String>;
    /// Whether there is a socket.
    fn socket(&self, path: &Path) -> bool;
}

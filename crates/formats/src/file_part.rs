//! A part of a file that is read by itself.

mod bytes;
mod counted;

pub use self::bytes::{FilePart, Reach};

pub(crate) use self::bytes::{refusal, unread};
pub(crate) use self::counted::{Foreword, InRange, Latest};

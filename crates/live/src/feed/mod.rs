//! What sources that run are made of: threads that measure or decode and send what they read in small
//! batches through one bounded channel.

mod batch;
mod child;
mod choice;
mod clock;
mod failure;
mod group;
mod growing;
mod guard;
mod input;
mod leaving;
mod named_pipe;
mod options;
mod outbox;
mod recognition;
mod whole;
mod worker;

pub use batch::{END_OF_INPUT, Ending, MessageBatch};
pub use failure::{FeedError, OpenError};
pub use guard::guard_programs;
pub use options::LiveOptions;
pub use whole::{decode_all, open_bytes, read_whole};

pub(crate) use batch::Running;
pub(crate) use child::{describe, find_program, spawn};
pub(crate) use choice::Choice;
pub(crate) use clock::now;
pub(crate) use group::{GRACE, Group};
pub(crate) use guard::command;
pub(crate) use leaving::leave_unless;
pub(crate) use outbox::{Outbox, Stopped};
pub(crate) use worker::{follow_file, read_child, read_file, read_stdin};

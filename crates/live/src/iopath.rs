//! The programs that print the path of each I/O, for `PostgreSQL` and for Oracle.

mod program;

pub use self::program::{PathDatabase, PathDevice, PathProgram, PathProgramError};

//! A server that speaks enough of Oracle's network protocol (TNS and TTC) for the thin driver to
//! connect, log on and query: what tests, documentation and demonstrations use where there is no
//! database.
//!
//! It knows no SQL. A [`Script`] says what is answered to a statement that mentions a text, how
//! connections are greeted, and what goes wrong; [`Simulation`] is a script of a small workload
//! whose wait histograms move. Nothing here shows that a statement is valid on a real server.
//!
//! ```
//! use fake_oracle::{Answer, FakeOracle, Script};
//!
//! let script = Script::default().on("from dual", Answer::lines(["hello"]));
//! let server = FakeOracle::start(script)?;
//! assert_ne!(server.port(), 0);
//! # Ok::<(), std::io::Error>(())
//! ```

mod asked;
mod conversation;
mod decode;
mod encode;
mod packet;
mod reply;
mod request;
mod room;
mod script;
mod server;
mod sessions;
mod simulation;
mod value;
mod verifier;

pub use decode::whole_number;
pub use request::Logon;
pub use script::{Answer, Greeting, Script};
pub use server::FakeOracle;
pub use simulation::Simulation;
pub use value::{Column, Moment, Value};

//! How `PostgreSQL`, `MySQL` and Redis are talked to: where a server is, who we are there, and the protocol.
//! What is asked, and what is made of the answers, is the business of those who use it.

#[cfg(feature = "tls")]
mod authorities;
pub mod leave;
mod lost;
pub mod mysql;
mod percent;
pub mod postgres;
pub mod redis;
mod row_memory;
pub mod used;

#[cfg(feature = "tls")]
pub use authorities::authorities;

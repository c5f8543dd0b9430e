#![doc = include_str!("../README.md")]

pub mod awr;
pub mod client;
pub mod idle;
pub mod trace;
pub mod uprobes;

//! `isotherm cache`: what caches hold, and what caches of other sizes would.

mod curve;
mod graph;
mod library;
mod looks;
mod model;
mod show;

use crate::cache_args::{CacheAction, CacheArgs};
use crate::failure::Failure;

/// `isotherm cache`
pub fn run(args: &CacheArgs) -> Result<(), Failure> {
    match &args.action {
        CacheAction::Curve(args) => curve::run(args),
        CacheAction::Model(args) => model::run(args),
        CacheAction::Library(args) => library::run(args),
        CacheAction::Show(args) => show::run(args),
    }
}

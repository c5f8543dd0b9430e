//! Live sources: what measures itself, or fetches the bytes that a decoder reads.
//!
//! A live source is registered by one word in `live!` in `lib.rs`. The schemes of its addresses, the
//! hints for mistyped ones, the documentation and the completions follow from what it says here.

use std::any::Any;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use isotherm_formats::Meta;

use crate::address_error::AddressError;
use crate::feed::{Choice, LiveOptions, OpenError, Outbox, Running};
use crate::wait_event::WaitEvent;

/// A live source.
pub struct Live {
    /// What it says about itself: one for each kind of address.
    pub metas: &'static [&'static Meta],
    /// The schemes of its addresses.
    pub schemes: &'static [LiveScheme],
    /// Understands what stands after the colon of an address with one of its schemes; it is never
    /// empty where the scheme needs something.
    pub target: fn(&'static str, &str) -> Result<LiveAddress, AddressError>,
    /// What to put under load instead of an address that has this after the colon, if there is
    /// something.
    pub load_instead: fn(&str) -> Option<String>,
}

/// How the addresses of a live source begin.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct LiveScheme {
    /// What stands before the colon.
    pub name: &'static str,
    /// What must follow the colon; empty if nothing must.
    pub needs: &'static str,
    /// A whole address.
    pub example: &'static str,
}

/// What an address of a live source leads to. Displays as the address it was read from.
pub trait Target: Any + fmt::Debug + fmt::Display + Send + Sync {
    /// Starts to measure, or to fetch.
    #[doc(hidden)]
    fn open(&self, options: &LiveOptions, start: Start) -> Result<Running, OpenError>;

    /// What it has to show, where that can be listed: `live --events`. What the user should know is
    /// given to `warn`.
    #[doc(hidden)]
    fn events(&self, warn: &mut dyn FnMut(String)) -> Option<Result<Vec<WaitEvent>, OpenError>> {
        let _ = warn;
        None
    }

    /// Whether a server is connected to while it is opened, and not later in a thread of its own: that can
    /// take long.
    fn connects(&self) -> bool {
        false
    }

    /// Whether it starts a program that is compiled and attached before it measures: that takes seconds.
    fn starts_slowly(&self) -> bool {
        false
    }

    /// Whether it comes to its end by itself, as a history does.
    fn has_end(&self) -> bool {
        false
    }
}

/// What a live source is started with.
pub struct Start {
    /// Where everything it says goes.
    pub(crate) outbox: Outbox,
    /// How the decoder of its bytes is found.
    pub(crate) choice: Choice,
}

/// The address of a live source.
#[derive(Clone)]
pub struct LiveAddress(Arc<dyn Target>);

impl LiveAddress {
    /// The address that leads to `target`.
    pub fn new(target: impl Target) -> LiveAddress {
        LiveAddress(Arc::new(target))
    }

    pub(crate) fn target(&self) -> &dyn Target {
        self.0.as_ref()
    }

    /// The target as what it is, if it is of this type.
    pub fn downcast<T: Target>(&self) -> Option<&T> {
        let target: &dyn Any = self.0.as_ref();
        target.downcast_ref()
    }
}

impl fmt::Debug for LiveAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for LiveAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl PartialEq for LiveAddress {
    fn eq(&self, other: &LiveAddress) -> bool {
        self.to_string() == other.to_string()
    }
}

impl Eq for LiveAddress {}

impl Hash for LiveAddress {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.to_string().hash(state);
    }
}

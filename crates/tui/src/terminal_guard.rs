//! The terminal taken over, and given back on every way out.

use std::io;
use std::panic;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, ThreadId};

use crossterm::style::Print;
use crossterm::terminal::{
    EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode,
    enable_raw_mode,
};
use crossterm::{cursor, event, execute};

/// Reports of buttons, of the wheel and of movements with a button held, in SGR form. Movements
/// without a button would mean nothing here, and what is reported while the view ends would be left
/// to the shell.
const MOUSE_ON: &str = "\x1b[?1000h\x1b[?1002h\x1b[?1003h\x1b[?1006h";
const MOUSE_OFF: &str = "\x1b[?1006l\x1b[?1003l\x1b[?1002l\x1b[?1000l";

/// What threads other than the view's said when they panicked, to be shown as warnings.
static PANICS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Makes the terminal ours.
pub(super) fn take_terminal() -> io::Result<()> {
    enable_raw_mode()?;
    let taken = execute!(
        io::stdout(),
        EnterAlternateScreen,
        Print(MOUSE_ON),
        event::EnableBracketedPaste,
        cursor::Hide
    );
    taken.inspect_err(|_| give_terminal_back())
}

/// Undoes all of [`take_terminal`]. A terminal that refuses is gone: there is nothing to restore.
pub(super) fn give_terminal_back() {
    let mut out = io::stdout();
    execute!(
        out,
        EndSynchronizedUpdate,
        event::DisableBracketedPaste,
        Print(MOUSE_OFF),
        LeaveAlternateScreen,
        cursor::Show
    )
    .unwrap_or_default();
    disable_raw_mode().unwrap_or_default();
}

/// What other threads said when they panicked since the last call.
pub(super) fn take_panics() -> Vec<String> {
    std::mem::take(&mut *PANICS.lock().unwrap_or_else(PoisonError::into_inner))
}

/// A panic hook that gives the terminal back before the message is written.
pub(super) struct PanicHook {
    before: Arc<dyn Fn(&panic::PanicHookInfo<'_>) + Send + Sync>,
}

impl PanicHook {
    pub(super) fn install(is_contained: fn() -> bool) -> PanicHook {
        let before: Arc<dyn Fn(&panic::PanicHookInfo<'_>) + Send + Sync> =
            Arc::from(panic::take_hook());
        let (inner, here) = (Arc::clone(&before), thread::current().id());
        panic::set_hook(Box::new(move |info| on_panic(info, (here, is_contained), &*inner)));
        PanicHook { before }
    }
}

/// Where the view itself panics, its terminal is restored first. Elsewhere the view goes on, and
/// a message written over it would be lost: it becomes a warning. Panics that somebody else
/// reports are left to the hook before this one.
fn on_panic(
    info: &panic::PanicHookInfo<'_>,
    (view, is_contained): (ThreadId, fn() -> bool),
    before: &(dyn Fn(&panic::PanicHookInfo<'_>) + Send + Sync),
) {
    if thread::current().id() == view {
        give_terminal_back();
        before(info);
        return;
    }
    if is_contained() {
        return before(info);
    }
    let mut panics = PANICS.lock().unwrap_or_else(PoisonError::into_inner);
    panics.push(format!("a part of the program failed: {info}"));
}

impl Drop for PanicHook {
    fn drop(&mut self) {
        if thread::panicking() {
            return;
        }
        let before = Arc::clone(&self.before);
        panic::set_hook(Box::new(move |info| before(info)));
    }
}

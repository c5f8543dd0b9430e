//! The thread that reads the terminal: one event at a time, byte by byte, and nothing beyond a key
//! that may end the view. What was typed after it stays in the terminal's queue, for the shell.

use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::net::Shutdown;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use crossterm::event::Event;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use signal_hook::SigId;
use signal_hook::consts::SIGWINCH;
use signal_hook::low_level::{pipe, unregister};

use crate::doorbell::{Bell, Wake};
use crate::key_map::KeyMap;
use crate::keys::{Command, Context};
use crate::sequences::{self, Decoded};

/// How soon the next byte of an escape sequence follows; an escape alone is a key after this time.
const NEXT_BYTE: Duration = Duration::from_millis(50);

/// Reads the terminal until it is dropped.
pub(super) struct Reader {
    stop: Arc<AtomicBool>,
    obeyed: SyncSender<()>,
    /// Shut down, it wakes the thread.
    wake: UnixStream,
    resized: SigId,
}

impl Reader {
    /// Starts the thread.
    pub(super) fn start(bell: Bell, keys: Arc<KeyMap>) -> io::Result<Reader> {
        let (wake, woken) = UnixStream::pair()?;
        let resized = pipe::register(SIGWINCH, wake.try_clone()?)?;
        let stop = Arc::new(AtomicBool::new(false));
        let (obeyed, permission) = sync_channel(1);
        let tty = Tty { keys: keyboard()?, woken };
        let hand = Hand { tty, keys, stop: Arc::clone(&stop), bell };
        thread::Builder::new()
            .name("isotherm-keys".into())
            .spawn(move || hand.read(&permission))?;
        Ok(Reader { stop, obeyed, wake, resized })
    }

    /// Says that an event that [`may_end`] was obeyed and the view goes on.
    pub(super) fn go_on(&self) {
        // A permission that was not used yet is enough; a thread that ended needs none.
        self.obeyed.try_send(()).unwrap_or_default();
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        unregister(self.resized);
        // Nothing is left to wake where this fails: the thread has ended.
        self.wake.shutdown(Shutdown::Both).unwrap_or_default();
    }
}

/// Whether an event may end or suspend the view, wherever its key is pressed.
pub(super) fn may_end(keys: &KeyMap, event: &Event) -> bool {
    let Event::Key(key) = event else { return false };
    let ends = |context| {
        let command = keys.command(context, *key);
        matches!(command, Some(Command::Quit | Command::QuitLeavingPicture | Command::Suspend))
    };
    [Context::Map, Context::List, Context::Text].into_iter().any(ends)
}

/// Where keys come from: standard input, or the terminal behind it where that is a pipe.
fn keyboard() -> io::Result<OwnedFd> {
    if io::stdin().is_terminal() {
        return io::stdin().as_fd().try_clone_to_owned();
    }
    File::open("/dev/tty").map(OwnedFd::from)
}

/// The thread's side.
struct Hand {
    tty: Tty,
    keys: Arc<KeyMap>,
    stop: Arc<AtomicBool>,
    bell: Bell,
}

impl Hand {
    fn read(mut self, permission: &Receiver<()>) {
        let mut over = None;
        loop {
            let wake = match self.event(over.take()) {
                Ok(Some(decoded)) => {
                    over = decoded.over;
                    decoded.event.map(Wake::Terminal)
                }
                Ok(None) => return,
                Err(error) => Some(Wake::TerminalLost(error)),
            };
            let Some(wake) = wake else { continue };
            let last = matches!(wake, Wake::TerminalLost(_));
            let held = matches!(&wake, Wake::Terminal(event) if may_end(&self.keys, event));
            if !self.bell.hand(wake) || last || (held && permission.recv().is_err()) {
                return;
            }
        }
    }

    /// What comes next, of which the first byte may have been read already; nothing at the end.
    fn event(&mut self, over: Option<u8>) -> io::Result<Option<Decoded>> {
        let tty = &mut self.tty;
        if let Some(first) = over {
            return sequences::decode(first, &mut || tty.next()).map(Some);
        }
        loop {
            let ready = tty.wait()?;
            if self.stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            if ready.resized {
                let (width, height) = crossterm::terminal::size()?;
                let event = Some(Event::Resize(width, height));
                return Ok(Some(Decoded { event, over: None }));
            }
            if ready.keys
                && let Some(first) = tty.byte()?
            {
                return sequences::decode(first, &mut || tty.next()).map(Some);
            }
        }
    }
}

/// What there is to read.
#[derive(Copy, Clone, Default)]
struct Ready {
    keys: bool,
    resized: bool,
}

struct Tty {
    keys: OwnedFd,
    woken: UnixStream,
}

impl Tty {
    /// Waits for keys or for a change of the size, which is then taken note of.
    fn wait(&mut self) -> io::Result<Ready> {
        let ready = |one: &PollFd<'_>| !one.revents().is_empty();
        let mut both =
            [PollFd::new(&self.keys, PollFlags::IN), PollFd::new(&self.woken, PollFlags::IN)];
        match poll(&mut both, None) {
            Ok(_) => {}
            Err(Errno::INTR) => return Ok(Ready::default()),
            Err(error) => return Err(error.into()),
        }
        let [keys, resized] = both.each_ref().map(ready);
        if resized {
            // However many signals came, the size is asked for once.
            let _: usize = self.woken.read(&mut [0; 64])?;
        }
        Ok(Ready { keys, resized })
    }

    /// The byte that is there to read; nothing if somebody else took it.
    fn byte(&mut self) -> io::Result<Option<u8>> {
        let mut byte = [0];
        match rustix::io::read(&self.keys, &mut byte) {
            Ok(0) => Err(io::ErrorKind::BrokenPipe.into()),
            Ok(_) => Ok(Some(byte[0])),
            Err(Errno::INTR | Errno::AGAIN) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The next byte of a sequence, if it follows at once.
    fn next(&mut self) -> io::Result<Option<u8>> {
        let longest = Timespec::try_from(NEXT_BYTE).ok();
        loop {
            let mut keys = [PollFd::new(&self.keys, PollFlags::IN)];
            match poll(&mut keys, longest.as_ref()) {
                Ok(0) => return Ok(None),
                Ok(_) => return self.byte(),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

    use super::*;

    #[test]
    fn only_keys_that_may_end_the_view_are_waited_for() {
        let keys = KeyMap::default();
        let key = |code, modifiers| may_end(&keys, &Event::Key(KeyEvent::new(code, modifiers)));
        for letter in ['q', 'Q'] {
            assert!(key(KeyCode::Char(letter), KeyModifiers::NONE), "{letter}");
        }
        for letter in ['c', 'z'] {
            assert!(key(KeyCode::Char(letter), KeyModifiers::CONTROL), "ctrl-{letter}");
            assert!(!key(KeyCode::Char(letter), KeyModifiers::NONE), "{letter}");
        }
        assert!(!key(KeyCode::Esc, KeyModifiers::NONE));
        assert!(!may_end(&keys, &Event::Resize(80, 24)));
    }
}

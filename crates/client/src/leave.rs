//! Waits that can be left although what is waited for does not end: a server that does not answer, a name
//! that is not resolved.

use std::io;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

/// How often it is asked whether to go on waiting.
const LOOK: Duration = Duration::from_millis(20);

/// Does `work` in a thread of its own and waits for what it gives. Once `left` gives a reason, nobody waits
/// any more: the reason is the result, and the thread ends when its own wait does, or with the process.
pub fn unless<T: Send + 'static, R>(
    work: impl FnOnce() -> T + Send + 'static,
    left: &mut dyn FnMut() -> Option<R>,
) -> io::Result<Result<T, R>> {
    let (sender, receiver) = sync_channel(1);
    let worker = thread::Builder::new().name("isotherm-connect".to_owned()).spawn(move || {
        // Where nobody waits any more, what came of it is dropped here: a connection is closed.
        let _ = sender.send(work());
    })?;
    loop {
        match receiver.recv_timeout(LOOK) {
            Ok(done) => return Ok(Ok(done)),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => match worker.join() {
                Ok(()) => return Err(io::Error::other("a thread ended without a result")),
                Err(panic) => std::panic::resume_unwind(panic),
            },
        }
        if let Some(reason) = left() {
            return Ok(Err(reason));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn what_ends_is_given_and_what_does_not_is_left() {
        let mut never = || None::<()>;
        assert_eq!(unless(|| 7, &mut never).unwrap(), Ok(7));
        let (let_go, held) = channel::<()>();
        let mut looks = 0;
        let mut third = || {
            looks += 1;
            (looks == 3).then_some("stopped")
        };
        // ends: when the other end is dropped below
        let left = unless(move || held.recv().is_ok(), &mut third).unwrap();
        assert_eq!(left, Err("stopped"));
        drop(let_go);
    }

    #[test]
    fn a_panic_is_passed_on() {
        let caught = std::panic::catch_unwind(|| {
            unless(|| panic!("on purpose"), &mut || None::<()>).map(drop)
        });
        assert!(caught.is_err());
    }
}

//! Recognising an input that has only just begun.

use std::io;
use std::time::Duration;

use isotherm_formats::{HEAD, Source, Verdict, judge};

use super::input::{Arrived, LiveInput};

/// How long an input may pause before a guess is good enough.
const PAUSE: Duration = Duration::from_millis(500);
/// Lines after which a guess is good enough, and after which being lost is worth a word.
const LINES: usize = 20;

/// Waits until a decoder is sure that the input is its own, or until a guess is good enough: at
/// 64 KiB, the end, 20 lines, or a pause after 2 lines. Everything stays in the input. `None`
/// when no decoder wants it; `puzzled` is called once when that becomes likely.
pub(crate) fn recognise_live(
    input: &mut LiveInput,
    among: &[&'static dyn Source],
    mut puzzled: impl FnMut(&[u8]),
) -> io::Result<Option<&'static dyn Source>> {
    let (mut lines, mut reported) = (0, false);
    let mut arrived = Arrived::More;
    loop {
        let head = input.held();
        let complete = memchr::memchr_iter(b'\n', head).count();
        let full = head.len() >= HEAD || arrived == Arrived::End;
        // Sniffing again is worth it only when a line was completed or there will be no more.
        if complete > lines || full || arrived == Arrived::Paused {
            lines = complete;
            let paused = arrived == Arrived::Paused && lines >= 2;
            match judge(among, head) {
                Some((Verdict::Yes, source)) => return Ok(Some(source)),
                Some((_, source)) if full || paused || lines >= LINES => return Ok(Some(source)),
                None if full => return Ok(None),
                None if lines >= LINES && !reported => {
                    reported = true;
                    puzzled(head);
                }
                _ => {}
            }
        }
        arrived = input.wait(Some(PAUSE))?;
        while arrived == Arrived::Paused && input.held().is_empty() {
            arrived = input.wait(None)?;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, Read};
    use std::sync::mpsc::{SyncSender, sync_channel};
    use std::sync::{Arc, Mutex};

    use testing::bounded::{Watchdog, watchdog};

    use super::super::input::Chunk;
    use super::super::{Outbox, Stopped};
    use super::*;
    use isotherm_formats::{Context, DecodeError, Meta, Sink};

    /// Sure of what begins with `SURE`, unsure of what holds a digit.
    struct Digits;
    static DIGITS: Digits = Digits;
    static AMONG: [&dyn Source; 1] = [&DIGITS];

    impl Source for Digits {
        fn meta(&self) -> &'static Meta {
            unreachable!("recognition does not ask for it")
        }

        fn sniff(&self, head: &[u8]) -> Verdict {
            match head {
                _ if head.split(|byte| *byte == b'\n').any(|line| line.starts_with(b"SURE")) => {
                    Verdict::Yes
                }
                _ if head.iter().any(u8::is_ascii_digit) => Verdict::Unsure,
                _ => Verdict::No,
            }
        }

        fn decode(
            &self,
            _: &mut (dyn BufRead + Send),
            _: &Context,
            _: &mut dyn Sink,
        ) -> Result<(), DecodeError> {
            Ok(())
        }
    }

    fn input() -> (SyncSender<Chunk>, LiveInput, Watchdog) {
        let (chunks, arriving) = sync_channel(100);
        let (sender, _) = sync_channel(1);
        let outbox = Outbox::new(sender, Stopped::default());
        let watch = watchdog("recognition");
        (chunks, LiveInput::new(arriving, Arc::new(Mutex::new(outbox))), watch)
    }

    fn send(chunks: &SyncSender<Chunk>, text: &str) {
        chunks.send(Chunk::Bytes(text.as_bytes().to_vec())).expect("the input is there");
    }

    fn rest(input: &mut LiveInput) -> String {
        let mut rest = String::new();
        input.read_to_string(&mut rest).expect("text");
        rest
    }

    #[test]
    fn a_sure_decoder_is_chosen_as_soon_as_its_mark_arrives_and_nothing_is_lost() {
        let (chunks, mut input, _watch) = input();
        for text in ["Attaching ", "5 probes...", "\nSU", "RE thing\n"] {
            send(&chunks, text);
        }
        let source = recognise_live(&mut input, &AMONG, |_| {}).expect("no error");
        assert!(source.is_some(), "chosen although the input goes on");
        send(&chunks, "more");
        drop(chunks);
        assert_eq!(rest(&mut input), "Attaching 5 probes...\nSURE thing\nmore");
    }

    #[test]
    fn a_guess_waits_for_a_pause_after_two_lines() {
        let (chunks, mut input, _watch) = input();
        send(&chunks, "1 2\n3 4\n");
        let source = recognise_live(&mut input, &AMONG, |_| {}).expect("no error");
        assert!(source.is_some(), "chosen in the pause, with the sender still there");
        drop(chunks);
        assert_eq!(rest(&mut input), "1 2\n3 4\n");
    }

    /// As `Digits`; something sure arrives when it is asked for the second time, which is after a pause.
    /// Holds a sender for each time.
    struct Pausing(Mutex<Vec<SyncSender<Chunk>>>);

    impl Source for Pausing {
        fn meta(&self) -> &'static Meta {
            unreachable!("recognition does not ask for it")
        }

        fn sniff(&self, head: &[u8]) -> Verdict {
            let mut senders = self.0.lock().expect("not poisoned");
            if senders.len() == 1 {
                senders.iter().for_each(|chunks| send(chunks, "SURE\n"));
            }
            senders.pop();
            DIGITS.sniff(head)
        }

        fn decode(
            &self,
            _: &mut (dyn BufRead + Send),
            _: &Context,
            _: &mut dyn Sink,
        ) -> Result<(), DecodeError> {
            Ok(())
        }
    }

    #[test]
    fn one_line_and_a_pause_are_no_ground_for_a_guess() {
        let (chunks, mut input, _watch) = input();
        send(&chunks, "1 probe\n");
        let pausing = Pausing(Mutex::new(vec![chunks.clone(), chunks.clone()]));
        let among: [&'static dyn Source; 1] = [Box::leak(Box::new(pausing))];
        let source = recognise_live(&mut input, &among, |_| {}).expect("no error");
        assert!(source.is_some());
        assert_eq!(input.held(), b"1 probe\nSURE\n", "it waited for the second line");
    }

    #[test]
    fn one_line_is_ground_for_a_guess_at_the_end() {
        let (chunks, mut input, _watch) = input();
        send(&chunks, "1 probe\n");
        drop(chunks);
        let source = recognise_live(&mut input, &AMONG, |_| {}).expect("no error");
        assert!(source.is_some());
        assert_eq!(rest(&mut input), "1 probe\n");
    }

    #[test]
    fn what_nobody_wants_is_reported_once_and_given_up_at_the_end() {
        let (chunks, mut input, _watch) = input();
        for _ in 0..30 {
            send(&chunks, "words\n");
        }
        drop(chunks);
        let mut reported = 0;
        let source = recognise_live(&mut input, &AMONG, |head| {
            reported += 1;
            assert!(head.starts_with(b"words\n"));
        });
        assert!(source.expect("no error").is_none());
        assert_eq!(reported, 1);
        assert_eq!(input.held().len(), 30 * 6);
    }
}

//! What a frame of a stack is called.

use memchr::{memchr, memchr_iter, memrchr};

/// What stands behind the names of functions of the operating system's kernel, as other tools have
/// it.
pub const KERNEL: &str = "_[k]";
/// The same behind functions that the compiler put into their callers.
const INLINED: &str = "_[i]";

/// A name without the mark of what it is part of.
pub fn plain(name: &str) -> &str {
    name.strip_suffix(KERNEL).or_else(|| name.strip_suffix(INLINED)).unwrap_or(name)
}

/// A line of a stack taken apart: `7f0a ffff symbol+0x12 (/usr/lib/libc.so)`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct FrameLine<'l> {
    /// The function, without the place in it; `[unknown]` if there is none.
    pub symbol: &'l [u8],
    /// The program or library; empty if it is not said.
    pub object: &'l [u8],
}

/// Takes a line of `perf script` apart; `None` if it is no frame.
pub(crate) fn frame_line(line: &[u8]) -> Option<FrameLine<'_>> {
    let text = line.trim_ascii();
    let space = memchr(b' ', text)?;
    let (address, rest) = (&text[..space], text[space + 1..].trim_ascii_start());
    let is_address = !address.is_empty()
        && address.len() <= 16
        && address.iter().all(u8::is_ascii_hexdigit)
        && rest.ends_with(b")");
    if !is_address {
        return None;
    }
    let inner = &rest[..rest.len() - 1];
    let open = opening(inner)?;
    let symbol = rest[..open].trim_ascii_end();
    Some(FrameLine { symbol: without_offset(symbol), object: &inner[open + 1..] })
}

/// Where the last parenthesis opens that closes at the end: names of files may hold others.
fn opening(inner: &[u8]) -> Option<usize> {
    let last = memrchr(b'(', inner)?;
    let mut at = last;
    // `(/tmp/a (deleted))`: as many open as have closed again.
    let mut closed = memchr_iter(b')', &inner[last..]).count();
    while closed > 0 {
        at = memrchr(b'(', &inner[..at])?;
        closed -= 1;
    }
    Some(at)
}

/// A symbol without `+0x12`, or `+18` as bpftrace prints it.
pub(crate) fn without_offset(symbol: &[u8]) -> &[u8] {
    let Some(plus) = memrchr(b'+', symbol).filter(|&at| at > 0) else { return symbol };
    let offset = &symbol[plus + 1..];
    let digits = offset.strip_prefix(b"0x").unwrap_or(offset);
    let is_offset = !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit);
    if is_offset { &symbol[..plus] } else { symbol }
}

impl FrameLine<'_> {
    /// Puts the name of the frame into `name`: the symbol, or the object in brackets where there is
    /// none.
    pub fn put_name(&self, name: &mut Vec<u8>) {
        name.clear();
        let object = self.object.strip_suffix(b" (deleted)").unwrap_or(self.object);
        if self.symbol.is_empty() || self.symbol == b"[unknown]" {
            let base = memrchr(b'/', object).map_or(object, |at| &object[at + 1..]);
            let base =
                base.strip_prefix(b"[").and_then(|inner| inner.strip_suffix(b"]")).unwrap_or(base);
            name.push(b'[');
            name.extend_from_slice(if base.is_empty() { b"unknown" } else { base });
            name.push(b']');
        } else {
            name.extend_from_slice(self.symbol);
        }
        if object == b"inlined" {
            name.extend_from_slice(INLINED.as_bytes());
        } else if is_kernel(object) {
            name.extend_from_slice(KERNEL.as_bytes());
        }
    }
}

/// Whether code is of the operating system's kernel: itself or one of its modules.
fn is_kernel(object: &[u8]) -> bool {
    const OTHERS: [&[u8]; 7] =
        [b"[unknown]", b"[vdso]", b"[heap]", b"[stack]", b"[anon]", b"[vsyscall]", b"[uprobes]"];
    (object.starts_with(b"[") && !OTHERS.contains(&object) && !object.starts_with(b"[anon"))
        || object.ends_with(b"vmlinux")
        || object.ends_with(b".ko")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(line: &str) -> Option<String> {
        let mut name = Vec::new();
        frame_line(line.as_bytes())?.put_name(&mut name);
        Some(String::from_utf8(name).unwrap())
    }

    #[test]
    fn frames_are_named_after_their_function_or_their_object() {
        for (line, name) in [
            (
                "\t  fdc14 _PyEval_EvalFrameDefault+0x30a4 (/root/libpython3.11.so.1.0)",
                "_PyEval_EvalFrameDefault",
            ),
            ("\t5f77 [unknown] (/usr/lib/libz.so.1.2.13)", "[libz.so.1.2.13]"),
            ("\t7f0a063bea00 [unknown] ([unknown])", "[unknown]"),
            ("\tffffffff821f5b65 irqentry_exit+0x105 ([kernel.kallsyms])", "irqentry_exit_[k]"),
            ("\tffffffffa0000000 [unknown] ([kernel.kallsyms])", "[kernel.kallsyms]_[k]"),
            ("\tffffffffc0 nf_hook (/lib/modules/6.1/nf.ko)", "nf_hook_[k]"),
            ("\t12 f(int, char (*)()) (/tmp/a (deleted))", "f(int, char (*)())"),
            ("\t12 Vec<u8; 4>::push (inlined)", "Vec<u8; 4>::push_[i]"),
            ("\t7ffd __vdso_gettimeofday+0x1 ([vdso])", "__vdso_gettimeofday"),
            ("\t4 operator+ (/bin/x)", "operator+"),
            ("\t4 qertbFetch+1234 (/u01/oracle)", "qertbFetch"),
        ] {
            assert_eq!(named(line).as_deref(), Some(name), "{line}");
        }
        for line in
            ["", "\tno frame", "python3 16244 63025.205443: 1 cycles:", "\tzz f (x)", "\t12 f"]
        {
            assert_eq!(named(line), None, "{line}");
        }
    }
}

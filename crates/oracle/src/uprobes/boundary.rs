//! Whether a probe would be at the beginning of an instruction.

/// What is known about a place behind the beginning of a function.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Boundary {
    /// An instruction begins there.
    Yes,
    /// It is inside an instruction: a probe there would destroy it.
    No,
    /// An instruction before it is not one of those that are recognised.
    Unknown,
}

/// Whether an instruction begins `offset` bytes behind the beginning of a function whose first
/// bytes are `code` (x86-64). Only instructions that compilers begin functions with are
/// recognised; everything else is unknown.
pub fn boundary(code: &[u8], offset: u8) -> Boundary {
    let offset = usize::from(offset);
    let mut at = 0;
    while at < offset {
        match code.get(at..).and_then(length) {
            Some(bytes) => at += bytes,
            None => return Boundary::Unknown,
        }
    }
    if at == offset { Boundary::Yes } else { Boundary::No }
}

/// The length of the first instruction, if it is one of those functions begin with.
fn length(code: &[u8]) -> Option<usize> {
    let in_registers = |byte: Option<&u8>| byte.is_some_and(|modrm| modrm >> 6 == 0b11);
    match code {
        // nop; push; pop
        [0x90 | 0x50..=0x5f, ..] => Some(1),
        // nop of two bytes (xchg ax,ax); push or pop of r8 to r15
        [0x66, 0x90, ..] | [0x41, 0x50..=0x5f, ..] => Some(2),
        // mov or xor from register to register, 32 bits
        [0x89 | 0x8b | 0x31 | 0x33, ..] if in_registers(code.get(1)) => Some(2),
        // the same, 64 bits or with r8 to r15
        [0x40..=0x4f, 0x89 | 0x8b | 0x31 | 0x33, ..] if in_registers(code.get(2)) => Some(3),
        // nops of three and five bytes
        [0x0f, 0x1f, 0x00, ..] => Some(3),
        [0x0f, 0x1f, 0x44, 0x00, ..] => Some(5),
        // nop, endbr64, sub rsp
        [0x0f, 0x1f, 0x40, ..] | [0xf3, 0x0f, 0x1e, 0xfa, ..] | [0x48, 0x83, 0xec, ..] => Some(4),
        [0x48, 0x81, 0xec, ..] => Some(7),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::Boundary::{No, Unknown, Yes};
    use super::*;

    // The lengths below were read off `objdump -d` of compiled functions.
    #[test]
    fn the_beginnings_of_functions_are_recognised() {
        // push rbp; mov rbp,rsp; sub rsp,0x20
        let plain = [0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 0x20];
        let at = |code: &[u8]| -> Vec<Boundary> { (0..5).map(|n| boundary(code, n)).collect() };
        assert_eq!(at(&plain), [Yes, Yes, No, No, Yes]);
        // xchg ax,ax; push rbp; mov rbp,rsp
        assert_eq!(at(&[0x66, 0x90, 0x55, 0x48, 0x89, 0xe5]), [Yes, No, Yes, Yes, No]);
        // push r15; push r14; push r13
        assert_eq!(at(&[0x41, 0x57, 0x41, 0x56, 0x41, 0x55]), [Yes, No, Yes, No, Yes]);
        // endbr64; push rbp
        assert_eq!(at(&[0xf3, 0x0f, 0x1e, 0xfa, 0x55]), [Yes, No, No, No, Yes]);
        // xor eax,eax; push rbp; then a vector instruction
        assert_eq!(at(&[0x31, 0xc0, 0x55, 0xc5, 0xf8]), [Yes, No, Yes, Yes, Unknown]);
    }

    #[test]
    fn what_is_not_recognised_is_unknown() {
        // mov rax,[rdi] reads memory: its length depends on bytes that are not looked at.
        assert_eq!(boundary(&[0x48, 0x8b, 0x07], 2), Boundary::Unknown);
        assert_eq!(boundary(&[0x31], 2), Boundary::Unknown);
        assert_eq!(boundary(&[], 2), Boundary::Unknown);
        assert_eq!(boundary(&[], 0), Boundary::Yes);
        assert_eq!(boundary(&[0x90; 300], 255), Boundary::Yes);
    }
}

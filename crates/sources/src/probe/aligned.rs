//! Memory at an address that direct I/O accepts.

/// Some bytes that begin at a multiple of 4,096, which every device accepts.
#[derive(Debug)]
pub(crate) struct Aligned {
    memory: Vec<u8>,
    begin: usize,
    length: usize,
}

impl Aligned {
    const ALIGNMENT: usize = 4_096;

    pub(crate) fn zeroed(length: usize) -> Aligned {
        let memory = vec![0; length + Aligned::ALIGNMENT];
        let begin = memory.as_ptr().align_offset(Aligned::ALIGNMENT).min(Aligned::ALIGNMENT);
        Aligned { memory, begin, length }
    }

    pub(crate) fn bytes(&mut self) -> &mut [u8] {
        let end = self.begin + self.length;
        self.memory.get_mut(self.begin..end).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_aligned_and_of_the_length_asked_for() {
        for length in [512, 8_192, 1 << 20] {
            let mut aligned = Aligned::zeroed(length);
            assert_eq!(aligned.bytes().len(), length);
            assert_eq!(aligned.bytes().as_ptr().addr() % 4_096, 0);
        }
    }
}

//! Which kind of build this binary is, because a static one starts faster than a dynamic one.

use std::fmt;

/// How this binary was linked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// It needs no loader and no library.
    Static,
    /// A loader has to find its libraries at each start.
    Dynamic,
    /// Not Linux, or a file that cannot be read.
    Unknown,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Static => "static",
            Kind::Dynamic => "dynamic",
            Kind::Unknown => "unknown",
        })
    }
}

/// How the running binary was linked, from its own file; only Linux tells.
pub fn build_kind() -> Kind {
    own_head().map_or(Kind::Unknown, |head| kind(&head))
}

/// The version, and the kind where it is known: `0.1.0 (static)`.
pub fn version() -> &'static str {
    match build_kind() {
        Kind::Static => concat!(env!("CARGO_PKG_VERSION"), " (static)"),
        Kind::Dynamic => concat!(env!("CARGO_PKG_VERSION"), " (dynamic)"),
        Kind::Unknown => env!("CARGO_PKG_VERSION"),
    }
}

/// Bytes that hold the file header and the program headers of every linker that we know of.
const HEAD: u64 = 4096;

#[cfg(target_os = "linux")]
fn own_head() -> Option<Vec<u8>> {
    use std::io::Read;
    let file = std::fs::File::open("/proc/self/exe").ok()?;
    let mut head = Vec::new();
    file.take(HEAD).read_to_end(&mut head).ok()?;
    Some(head)
}

#[cfg(not(target_os = "linux"))]
fn own_head() -> Option<Vec<u8>> {
    None
}

/// The type of the program header that names a loader (elf(5), `PT_INTERP`).
const INTERPRETER: u64 = 3;

/// Where an ELF header of one class keeps what is needed here (elf(5), `Elf32_Ehdr`, `Elf64_Ehdr`).
struct Layout {
    /// Of the program headers' offset, and its width.
    table: (usize, usize),
    /// Of the size of one program header; their number follows it.
    size: usize,
}

const ELF32: Layout = Layout {
    table: (28, 4),
    size: 42,
};
const ELF64: Layout = Layout {
    table: (32, 8),
    size: 54,
};

/// What the first bytes of an executable file tell.
fn kind(head: &[u8]) -> Kind {
    match asks_for_a_loader(head) {
        Some(true) => Kind::Dynamic,
        Some(false) => Kind::Static,
        None => Kind::Unknown,
    }
}

fn asks_for_a_loader(head: &[u8]) -> Option<bool> {
    if !head.starts_with(b"\x7fELF") {
        return None;
    }
    let layout = match head.get(4)? {
        1 => ELF32,
        2 => ELF64,
        _ => return None,
    };
    let little = match head.get(5)? {
        1 => true,
        2 => false,
        _ => return None,
    };
    let number = |at: usize, width: usize| -> Option<u64> {
        let bytes = head.get(at..at.checked_add(width)?)?;
        let join = |sum: u64, byte: &u8| (sum << 8) | u64::from(*byte);
        Some(if little {
            bytes.iter().rev().fold(0, join)
        } else {
            bytes.iter().fold(0, join)
        })
    };
    let table = usize::try_from(number(layout.table.0, layout.table.1)?).ok()?;
    let size = usize::try_from(number(layout.size, 2)?).ok()?;
    let count = usize::try_from(number(layout.size.checked_add(2)?, 2)?).ok()?;
    if count == 0 {
        return None;
    }
    let mut asks = false;
    for nth in 0..count {
        let at = table.checked_add(nth.checked_mul(size)?)?;
        asks |= number(at, 4)? == INTERPRETER;
    }
    Some(asks)
}

#[cfg(test)]
mod tests {
    use super::{ELF32, ELF64, Kind, Layout, kind};

    /// A file header, and program headers of the given types behind it.
    fn elf(class: u8, little: bool, types: &[u16]) -> Vec<u8> {
        let layout: Layout = if class == 1 { ELF32 } else { ELF64 };
        let mut head = vec![0; 64];
        let put = |head: &mut Vec<u8>, at: usize, width: usize, value: u16| {
            let [low, high] = value.to_le_bytes();
            if little {
                head[at] = low;
                head[at + 1] = high;
            } else {
                head[at + width - 1] = low;
                head[at + width - 2] = high;
            }
        };
        head[..4].copy_from_slice(b"\x7fELF");
        head[4] = class;
        head[5] = if little { 1 } else { 2 };
        put(&mut head, layout.table.0, layout.table.1, 64);
        put(&mut head, layout.size, 2, 8);
        put(
            &mut head,
            layout.size + 2,
            2,
            u16::try_from(types.len()).expect("few"),
        );
        for kind in types {
            let at = head.len();
            head.resize(at + 8, 0);
            put(&mut head, at, 4, *kind);
        }
        head
    }

    #[test]
    fn a_file_that_names_a_loader_is_dynamic() {
        for class in [1, 2] {
            for little in [true, false] {
                assert_eq!(kind(&elf(class, little, &[6, 3, 1])), Kind::Dynamic);
                assert_eq!(kind(&elf(class, little, &[6, 1, 2])), Kind::Static);
            }
        }
    }

    #[test]
    fn a_file_that_cannot_be_read_to_the_end_is_unknown() {
        let whole = elf(2, true, &[6, 1, 2]);
        for length in 0..whole.len() - 4 {
            assert_eq!(kind(&whole[..length]), Kind::Unknown, "{length} bytes");
        }
        assert_eq!(kind(b"#!/bin/sh\necho leaseguard\n"), Kind::Unknown);
        assert_eq!(kind(&elf(2, true, &[])), Kind::Unknown);
        assert_eq!(kind(&elf(3, true, &[1])), Kind::Unknown);
    }

    #[cfg(all(target_os = "linux", target_feature = "crt-static"))]
    #[test]
    fn this_very_build_is_static() {
        assert_eq!(super::build_kind(), Kind::Static);
    }

    #[cfg(all(target_os = "linux", not(target_feature = "crt-static")))]
    #[test]
    fn this_very_build_is_dynamic() {
        assert_eq!(super::build_kind(), Kind::Dynamic);
    }
}

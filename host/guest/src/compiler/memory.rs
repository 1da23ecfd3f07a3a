//! How a child tells that it has no memory left. It is about to be aborted then, which looks like any other crash from
//! outside, so its allocator says so first.

use std::alloc::{GlobalAlloc, Layout, System};
use std::fs::File;
use std::io::Write;
use std::sync::OnceLock;

use super::answer::OUT_OF_MEMORY;

/// Where to tell. Nothing: this process is no compiler.
static TELL: OnceLock<File> = OnceLock::new();

/// The system's allocator, which tells the parent of a compiler that there is no memory left. Any other process does not
/// notice it.
///
/// For programs that call [`compile_as_ordered`](super::compile_as_ordered). Without it, a compiler that has no memory left
/// has crashed, and its parent does not know why:
///
/// ```
/// #[global_allocator]
/// static ALLOCATOR: everturn_guest::TellingAllocator = everturn_guest::TellingAllocator;
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct TellingAllocator;

/// From here on, it is told there.
pub(super) fn tell(to: File) {
    // It is set once: a process compiles one component.
    let _ = TELL.set(to);
}

/// Nothing here may ask for memory.
fn told(pointer: *mut u8) -> *mut u8 {
    if pointer.is_null()
        && let Some(mut tell) = TELL.get()
    {
        // Without a parent there is nobody to tell.
        let _ = tell.write(&[OUT_OF_MEMORY]);
    }
    pointer
}

#[expect(unsafe_code, reason = "an allocator is written no other way")]
// SAFETY: every call is passed on as it is, and so is what the system's allocator answers.
unsafe impl GlobalAlloc for TellingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps what this function asks for, which is the same.
        told(unsafe { System.alloc(layout) })
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        told(unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: as above.
        told(unsafe { System.realloc(pointer, layout, new_size) })
    }
}

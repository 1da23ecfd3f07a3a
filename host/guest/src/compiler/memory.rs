//! How a child tells that it has no memory left. It is about to be aborted then, which looks like any other crash from
//! outside, so its allocator says so first.

use std::alloc::{GlobalAlloc, Layout, System};
use std::fs::File;
use std::io::Write;
use std::sync::OnceLock;

use super::answer::OUT_OF_MEMORY;

/// Where to tell. Nothing: this process is no compiler.
static TELL: OnceLock<File> = OnceLock::new();

/// An allocator, the system's or another one, which tells the parent of a compiler that there is no memory left. Any other
/// process does not notice it.
///
/// For programs that call [`compile_as_ordered`](super::compile_as_ordered). Without it, a compiler that has no memory left
/// has crashed, and its parent does not know why:
///
/// ```
/// #[global_allocator]
/// static ALLOCATOR: everturn_guest::TellingAllocator = everturn_guest::TellingAllocator(std::alloc::System);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct TellingAllocator<A = System>(pub A);

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
// SAFETY: every call is passed on as it is, and so is what the allocator answers.
unsafe impl<A: GlobalAlloc> GlobalAlloc for TellingAllocator<A> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps what this function asks for, which is the same.
        told(unsafe { self.0.alloc(layout) })
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { self.0.dealloc(pointer, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        told(unsafe { self.0.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: as above.
        told(unsafe { self.0.realloc(pointer, layout, new_size) })
    }
}

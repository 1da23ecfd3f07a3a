//! The file system itself, in SQLite's terms: a layer over the usual one.
//!
//! SQLite calls these functions with files that [`open`] made, and never two at a time on one file of one connection. The
//! layer keeps three promises that make its unsafe code sound: its files begin with a [`File`], the usual file lies behind
//! that in the same memory, and the plans live for ever.

use std::ffi::{CString, c_char, c_int, c_void};
use std::mem::size_of;
use std::ptr;

use rusqlite::ffi::{
    SQLITE_ERROR, SQLITE_FULL, SQLITE_IOERR_FSYNC, SQLITE_IOERR_READ, SQLITE_IOERR_TRUNCATE, SQLITE_IOERR_WRITE,
    SQLITE_OK, sqlite3_file, sqlite3_int64, sqlite3_io_methods, sqlite3_vfs, sqlite3_vfs_find, sqlite3_vfs_register,
};

use crate::plan::{Fault, Operation, Plans};

/// What the layer needs to know when it opens a file.
struct Layer {
    usual: *mut sqlite3_vfs,
    plans: &'static Plans,
}

/// A file of the layer. The usual one follows it in memory.
#[repr(C)]
struct File {
    base: sqlite3_file,
    plans: &'static Plans,
}

pub(crate) fn register(name: CString, plans: &'static Plans) -> Result<(), c_int> {
    // SAFETY: a null name asks for the default, which lives as long as the process.
    let usual = unsafe { sqlite3_vfs_find(ptr::null()) };
    if usual.is_null() {
        return Err(SQLITE_ERROR);
    }
    // SAFETY: it is not null, and SQLite's description of itself can be copied: it is numbers and functions. All of them
    // but `xOpen` work on names or on nothing, whichever file system they are called through.
    let mut vfs = unsafe { *usual };
    vfs.szOsFile += c_int::try_from(size_of::<File>()).map_err(|_| SQLITE_ERROR)?;
    vfs.zName = name.into_raw();
    vfs.pNext = ptr::null_mut();
    vfs.pAppData = Box::into_raw(Box::new(Layer { usual, plans })).cast();
    vfs.xOpen = Some(open);
    // SAFETY: both it and what it points to are leaked, so they outlive every use.
    let code = unsafe { sqlite3_vfs_register(Box::into_raw(Box::new(vfs)), 0) };
    if code == SQLITE_OK { Ok(()) } else { Err(code) }
}

/// Opens the usual file in the memory behind ours.
unsafe extern "C" fn open(
    vfs: *mut sqlite3_vfs,
    name: *const c_char,
    file: *mut sqlite3_file,
    flags: c_int,
    out_flags: *mut c_int,
) -> c_int {
    // SAFETY: `vfs` is the one that was registered, so its data is a `Layer`; `file` has the size that it asked for.
    unsafe {
        let layer = &*(*vfs).pAppData.cast::<Layer>();
        let ours = file.cast::<File>();
        ours.write(File { base: sqlite3_file { pMethods: ptr::null() }, plans: layer.plans });
        let Some(open) = (*layer.usual).xOpen else { return SQLITE_ERROR };
        let code = open(layer.usual, name, usual(file), flags, out_flags);
        // SQLite closes what has methods, also if it could not be opened.
        if !(*usual(file)).pMethods.is_null() {
            (*ours).base.pMethods = &METHODS;
        }
        code
    }
}

/// The usual file.
unsafe fn usual(file: *mut sqlite3_file) -> *mut sqlite3_file {
    // SAFETY: `file` is one of ours, so there is a usual one behind it. `File` is made of pointers, so that is aligned.
    unsafe { file.cast::<File>().add(1).cast() }
}

unsafe fn strike(file: *mut sqlite3_file, operation: Operation) -> Option<Fault> {
    // SAFETY: `file` is one of ours.
    unsafe { (*file.cast::<File>()).plans.strike(operation) }
}

/// Calls the usual method. One that it does not have cannot be called through here either.
macro_rules! usual {
    ($file:expr, $method:ident $(, $argument:expr)*) => {{
        let file = usual($file);
        match (*(*file).pMethods).$method {
            Some(method) => method(file $(, $argument)*),
            None => SQLITE_ERROR,
        }
    }};
}

/// Methods that do what the usual ones do.
macro_rules! passed_on {
    ($($name:ident = $method:ident($($argument:ident: $type:ty),*);)*) => {$(
        unsafe extern "C" fn $name(file: *mut sqlite3_file $(, $argument: $type)*) -> c_int {
            // SAFETY: `file` is one of ours and open, so its usual file has methods; the rest is passed on as it came.
            unsafe { usual!(file, $method $(, $argument)*) }
        }
    )*};
}

passed_on! {
    close = xClose();
    file_size = xFileSize(size: *mut sqlite3_int64);
    lock = xLock(level: c_int);
    unlock = xUnlock(level: c_int);
    check_reserved_lock = xCheckReservedLock(result: *mut c_int);
    file_control = xFileControl(operation: c_int, argument: *mut c_void);
    sector_size = xSectorSize();
    device_characteristics = xDeviceCharacteristics();
    shm_map = xShmMap(page: c_int, size: c_int, extend: c_int, memory: *mut *mut c_void);
    shm_lock = xShmLock(offset: c_int, count: c_int, flags: c_int);
    shm_unmap = xShmUnmap(delete: c_int);
}

unsafe extern "C" fn shm_barrier(file: *mut sqlite3_file) {
    // SAFETY: as for those that are passed on.
    unsafe {
        let file = usual(file);
        if let Some(barrier) = (*(*file).pMethods).xShmBarrier {
            barrier(file);
        }
    }
}

unsafe extern "C" fn read(file: *mut sqlite3_file, into: *mut c_void, size: c_int, offset: sqlite3_int64) -> c_int {
    // SAFETY: as for those that are passed on.
    unsafe {
        match strike(file, Operation::Read) {
            Some(_) => SQLITE_IOERR_READ,
            None => usual!(file, xRead, into, size, offset),
        }
    }
}

unsafe extern "C" fn write(file: *mut sqlite3_file, from: *const c_void, size: c_int, offset: sqlite3_int64) -> c_int {
    // SAFETY: as for those that are passed on; half of the bytes are bytes that were given.
    unsafe {
        match strike(file, Operation::Write) {
            Some(Fault::Full) => SQLITE_FULL,
            Some(Fault::Io) => {
                let _ = usual!(file, xWrite, from, size / 2, offset);
                SQLITE_IOERR_WRITE
            }
            None => usual!(file, xWrite, from, size, offset),
        }
    }
}

unsafe extern "C" fn truncate(file: *mut sqlite3_file, size: sqlite3_int64) -> c_int {
    // SAFETY: as for those that are passed on.
    unsafe {
        match strike(file, Operation::Truncate) {
            Some(_) => SQLITE_IOERR_TRUNCATE,
            None => usual!(file, xTruncate, size),
        }
    }
}

unsafe extern "C" fn sync(file: *mut sqlite3_file, flags: c_int) -> c_int {
    // SAFETY: as for those that are passed on.
    unsafe {
        match strike(file, Operation::Sync) {
            Some(Fault::Full) => SQLITE_FULL,
            Some(Fault::Io) => SQLITE_IOERR_FSYNC,
            None => {
                std::thread::sleep((*file.cast::<File>()).plans.sync_delay());
                usual!(file, xSync, flags)
            }
        }
    }
}

/// Version 2: with shared memory, which the log needs, and without memory maps, which would go around `read`.
static METHODS: sqlite3_io_methods = sqlite3_io_methods {
    iVersion: 2,
    xClose: Some(close),
    xRead: Some(read),
    xWrite: Some(write),
    xTruncate: Some(truncate),
    xSync: Some(sync),
    xFileSize: Some(file_size),
    xLock: Some(lock),
    xUnlock: Some(unlock),
    xCheckReservedLock: Some(check_reserved_lock),
    xFileControl: Some(file_control),
    xSectorSize: Some(sector_size),
    xDeviceCharacteristics: Some(device_characteristics),
    xShmMap: Some(shm_map),
    xShmLock: Some(shm_lock),
    xShmBarrier: Some(shm_barrier),
    xShmUnmap: Some(shm_unmap),
    xFetch: None,
    xUnfetch: None,
};

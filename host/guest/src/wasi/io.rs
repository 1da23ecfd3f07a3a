//! `wasi:io`: the three standard streams and nothing else. They never block, so whatever can be polled is ready. The
//! resources carry no data but their number, so there is no table to keep.

use wasmtime::component::{ComponentType, Lift, Linker, Lower, Resource, ResourceType};
use wasmtime::{Result, StoreContextMut};

use crate::output::Stream;
use crate::state::State;

/// `wasi:io/error.error`: never made.
pub(crate) struct IoError;
/// `wasi:io/poll.pollable`: made from a stream, so always ready.
pub(crate) struct Pollable;
/// `wasi:io/streams.input-stream`: at its end.
pub(crate) struct InputStream;
/// `wasi:io/streams.output-stream`: numbered as below.
pub(crate) struct OutputStream;

const STDOUT: u32 = 1;
const STDERR: u32 = 2;

/// How many bytes a guest may write at once; it may do so again and again.
const WRITE_PERMIT: u64 = 64 * 1024;

#[derive(ComponentType, Lift, Lower)]
#[component(variant)]
pub(crate) enum StreamError {
    #[component(name = "last-operation-failed")]
    LastOperationFailed(Resource<IoError>),
    #[component(name = "closed")]
    Closed,
}

pub(crate) fn stdin() -> Resource<InputStream> {
    Resource::new_own(0)
}

pub(crate) fn stdout() -> Resource<OutputStream> {
    Resource::new_own(STDOUT)
}

pub(crate) fn stderr() -> Resource<OutputStream> {
    Resource::new_own(STDERR)
}

fn pollable() -> Resource<Pollable> {
    Resource::new_own(0)
}

pub(super) fn add_to_linker(linker: &mut Linker<State>) -> Result<()> {
    let mut error = linker.instance("wasi:io/error@0.2.0")?;
    error.resource("error", ResourceType::host::<IoError>(), |_, _| Ok(()))?;
    error.func_wrap("[method]error.to-debug-string", |_, (_,): (Resource<IoError>,)| Ok((String::new(),)))?;
    poll(linker)?;
    let mut streams = linker.instance("wasi:io/streams@0.2.0")?;
    streams.resource("input-stream", ResourceType::host::<InputStream>(), |_, _| Ok(()))?;
    streams.resource("output-stream", ResourceType::host::<OutputStream>(), |_, _| Ok(()))?;
    input(linker)?;
    output(linker)
}

fn poll(linker: &mut Linker<State>) -> Result<()> {
    let mut poll = linker.instance("wasi:io/poll@0.2.0")?;
    poll.resource("pollable", ResourceType::host::<Pollable>(), |_, _| Ok(()))?;
    poll.func_wrap("[method]pollable.ready", |_, (_,): (Resource<Pollable>,)| Ok((true,)))?;
    poll.func_wrap("[method]pollable.block", |_, (_,): (Resource<Pollable>,)| Ok(()))?;
    poll.func_wrap("poll", |_, (pollables,): (Vec<Resource<Pollable>>,)| {
        let all: Vec<u32> = (0..).take(pollables.len()).collect();
        Ok((all,))
    })
}

fn input(linker: &mut Linker<State>) -> Result<()> {
    let mut streams = linker.instance("wasi:io/streams@0.2.0")?;
    for name in ["read", "blocking-read"] {
        let name = format!("[method]input-stream.{name}");
        streams.func_wrap(&name, |_, (_, _): (Resource<InputStream>, u64)| {
            Ok((Err::<Vec<u8>, _>(StreamError::Closed),))
        })?;
    }
    for name in ["skip", "blocking-skip"] {
        let name = format!("[method]input-stream.{name}");
        streams
            .func_wrap(&name, |_, (_, _): (Resource<InputStream>, u64)| Ok((Err::<u64, _>(StreamError::Closed),)))?;
    }
    streams.func_wrap("[method]input-stream.subscribe", |_, (_,): (Resource<InputStream>,)| Ok((pollable(),)))
}

fn output(linker: &mut Linker<State>) -> Result<()> {
    let mut streams = linker.instance("wasi:io/streams@0.2.0")?;
    streams.func_wrap("[method]output-stream.check-write", |_, (_,): (Resource<OutputStream>,)| {
        Ok((Ok::<_, StreamError>(WRITE_PERMIT),))
    })?;
    for name in ["write", "blocking-write-and-flush"] {
        let name = format!("[method]output-stream.{name}");
        streams.func_wrap(&name, |store, (stream, bytes): (Resource<OutputStream>, Vec<u8>)| {
            write(store, &stream, &bytes);
            Ok((Ok::<_, StreamError>(()),))
        })?;
    }
    for name in ["flush", "blocking-flush"] {
        let name = format!("[method]output-stream.{name}");
        streams.func_wrap(&name, |_, (_,): (Resource<OutputStream>,)| Ok((Ok::<_, StreamError>(()),)))?;
    }
    for name in ["write-zeroes", "blocking-write-zeroes-and-flush"] {
        let name = format!("[method]output-stream.{name}");
        // Zeroes are no text: there is nothing to log.
        streams.func_wrap(&name, |_, (_, _): (Resource<OutputStream>, u64)| Ok((Ok::<_, StreamError>(()),)))?;
    }
    for name in ["splice", "blocking-splice"] {
        let name = format!("[method]output-stream.{name}");
        streams.func_wrap(&name, |_, (_, _, _): (Resource<OutputStream>, Resource<InputStream>, u64)| {
            Ok((Err::<u64, _>(StreamError::Closed),))
        })?;
    }
    streams.func_wrap("[method]output-stream.subscribe", |_, (_,): (Resource<OutputStream>,)| Ok((pollable(),)))
}

fn write(mut store: StoreContextMut<'_, State>, stream: &Resource<OutputStream>, bytes: &[u8]) {
    let stream = if stream.rep() == STDERR { Stream::Stderr } else { Stream::Stdout };
    store.data_mut().write(stream, bytes);
}

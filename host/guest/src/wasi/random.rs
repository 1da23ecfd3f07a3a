//! `wasi:random`: all three interfaces draw from the instance's one stream. None of it is secret.

use wasmtime::component::Linker;
use wasmtime::{Result, StoreContextMut};

use crate::state::State;

pub(super) fn add_to_linker(linker: &mut Linker<State>) -> Result<()> {
    let mut random = linker.instance("wasi:random/random@0.2.0")?;
    random.func_wrap("get-random-bytes", |store, (length,): (u64,)| Ok((store.data().random(length)?,)))?;
    random.func_wrap("get-random-u64", |store, (): ()| Ok((number(&store),)))?;

    let mut insecure = linker.instance("wasi:random/insecure@0.2.0")?;
    insecure.func_wrap("get-insecure-random-bytes", |store, (length,): (u64,)| Ok((store.data().random(length)?,)))?;
    insecure.func_wrap("get-insecure-random-u64", |store, (): ()| Ok((number(&store),)))?;

    let mut seed = linker.instance("wasi:random/insecure-seed@0.2.0")?;
    seed.func_wrap("insecure-seed", |store, (): ()| Ok(((number(&store), number(&store)),)))
}

fn number(store: &StoreContextMut<'_, State>) -> u64 {
    let mut bytes = [0; 8];
    store.data().ask(|execution| execution.random_bytes(&mut bytes));
    u64::from_le_bytes(bytes)
}

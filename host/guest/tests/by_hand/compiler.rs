//! Compilers that do not do what they should: whatever they do, it is told, nothing is left of them, and nothing is kept.

use std::fs;
use std::time::Duration;

use everturn_guest::{Compiler, ComponentCache, ComponentError, Engine, Limits};

use super::guest::{Guest, SHORT};

/// More bytes than a pipe holds.
const LARGE: usize = 1 << 20;

/// What comes of a component when a shell that runs this is the compiler.
fn compiled_by(script: &str, limits: Limits) -> ComponentError {
    let compiler = Compiler::Child { program: "/bin/sh".into(), arguments: vec!["-c".into(), script.into()] };
    refused_by(compiler, limits)
}

fn refused_by(compiler: Compiler, limits: Limits) -> ComponentError {
    let directory = tempfile::tempdir().unwrap();
    let cache = ComponentCache::open(directory.path()).unwrap();
    let engine = Engine::with_compiler(limits, compiler).unwrap();
    let data = "x".repeat(LARGE);
    let module = format!("(data \"{data}\")");
    let refused = Guest { module: &module, ..Guest::default() }.load_cached(&engine, &cache).err().unwrap();
    let kept: Vec<_> = fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(kept, ["key"], "nothing is cached");
    refused
}

fn died(end: &str, complaint: &str) -> ComponentError {
    ComponentError::CompilerDied { end: end.to_owned(), complaint: complaint.to_owned() }
}

#[test]
fn one_that_dies_is_told_with_its_last_words() {
    let table = [
        ("exit 1", died("exit status: 1", "it said nothing")),
        ("echo one >&2; echo >&2; echo two >&2; exit 7", died("exit status: 7", "it said: one; two")),
        ("kill -9 $$", died("signal: 9 (SIGKILL)", "it said nothing")),
        ("exec >&- 2>&-; sleep 1000", died("signal: 9 (SIGKILL)", "it said nothing")),
    ];
    for (script, expected) in table {
        assert_eq!(compiled_by(script, Limits::default()), expected, "{script}");
    }
}

#[test]
fn one_that_talks_nonsense_is_not_believed() {
    let nothing = died("exit status: 0", "it said nothing");
    assert_eq!(compiled_by("exit 0", Limits::default()), nothing);
    assert_eq!(compiled_by("cat >/dev/null; echo hello", Limits::default()), nothing);
    assert_eq!(compiled_by("cat", Limits::default()), nothing, "what it was given is no answer");
    let torn = compiled_by("printf Cmachine; exit 3", Limits::default());
    assert_eq!(torn, died("exit status: 3", "it said nothing"), "an answer needs a good end");
    let garbage = compiled_by("printf Cmachine", Limits::default());
    assert!(matches!(&garbage, ComponentError::CompilerDied { end, .. } if end.contains("does not load")), "{garbage}");
}

#[test]
fn one_that_finds_fault_is_believed() {
    let invalid = ComponentError::Invalid { detail: "of no use".to_owned() };
    assert_eq!(compiled_by("printf 'Iof no use'", Limits::default()), invalid);
    let limits = Limits { compile_memory: 77, ..Limits::default() };
    let memory = ComponentError::CompileMemory { limit: 77 };
    assert_eq!(compiled_by("printf M; kill -9 $$", limits), memory);
}

#[test]
fn one_that_takes_too_long_is_ended_with_all_that_it_started() {
    let limits = || Limits { compile_time: SHORT, ..Limits::default() };
    for script in ["exec sleep 1000", "sleep 1000 & wait", "cat /dev/zero", "cat /dev/zero >&2"] {
        assert_eq!(compiled_by(script, limits()), ComponentError::CompileTime { limit: SHORT }, "{script}");
    }
}

#[test]
fn one_that_says_too_much_is_not_believed() {
    let limits = |compiled_size| Limits { compiled_size, ..Limits::default() };
    assert_eq!(compiled_by("printf C12345", limits(4)), ComponentError::CompiledTooLarge { limit: 4 });
    let enough = compiled_by("printf C1234", limits(4));
    assert!(matches!(enough, ComponentError::CompilerDied { .. }), "{enough}");
}

#[test]
fn one_that_is_not_there_is_the_fault_of_the_host() {
    let missing = Compiler::Child { program: "/there/is/none".into(), arguments: Vec::new() };
    let error = refused_by(missing, Limits::default());
    assert!(matches!(&error, ComponentError::CompilerNotStarted { .. }), "{error}");
    assert!(!error.is_deterministic());
}

#[test]
fn one_is_told_its_limits_and_sees_nothing_else() {
    let limits = Limits { compile_time: Duration::from_secs(10), compile_memory: 1 << 30, ..Limits::default() };
    let error = compiled_by("echo \"$0 $1 $2 $3\" >&2; env | grep -v -e ^PWD -e ^SHLVL -e ^_ >&2; exit 1", limits);
    let ComponentError::CompilerDied { complaint, .. } = error else { panic!("{error}") };
    let threads = complaint.strip_prefix("it said: 1073741824 41 524288 1048576; RAYON_NUM_THREADS=");
    let threads = threads.and_then(|rest| rest.strip_suffix("; MIMALLOC_ARENA_RESERVE=0"));
    assert!(threads.is_some_and(|threads| threads.parse::<u8>().is_ok()), "{complaint}");
}

//! Given a cache that holds a compiled component, when it is asked again, then only its own untouched file is used.

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

use super::{CacheStatistics, ComponentCache};
use crate::digest::Digest;

const WASM: &str = "(component)";

struct Fixture {
    directory: TempDir,
    engine: wasmtime::Engine,
    digest: Digest,
}

impl Fixture {
    /// A directory in which one component is cached.
    fn filled() -> Self {
        let fixture = Self {
            directory: tempfile::tempdir().unwrap(),
            engine: wasmtime::Engine::default(),
            digest: Digest::of(WASM.as_bytes()),
        };
        fixture.put(&fixture.open(), fixture.digest);
        fixture
    }

    fn open(&self) -> ComponentCache {
        ComponentCache::open(self.directory.path().join("cache")).unwrap()
    }

    fn put(&self, cache: &ComponentCache, digest: Digest) {
        let compiled = self.engine.precompile_component(&wat::parse_str(WASM).unwrap()).unwrap();
        cache.put(&self.engine, digest, &compiled);
    }

    /// What a cache that is opened now says when it is asked once.
    fn ask(&self) -> CacheStatistics {
        let cache = self.open();
        let found = cache.get(&self.engine, self.digest).is_some();
        assert_eq!(found, cache.statistics().hits == 1);
        cache.statistics()
    }

    fn files(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.directory.path().join("cache")).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        paths.filter(|path| path.extension().is_some_and(|extension| extension == "compiled")).collect()
    }

    fn file(&self) -> PathBuf {
        let files = self.files();
        assert_eq!(files.len(), 1, "{files:?}");
        files[0].clone()
    }
}

const HIT: CacheStatistics = CacheStatistics { hits: 1, misses: 0, refused: 0 };
const MISS: CacheStatistics = CacheStatistics { hits: 0, misses: 1, refused: 0 };
const REFUSED: CacheStatistics = CacheStatistics { hits: 0, misses: 0, refused: 1 };

#[test]
fn what_was_put_is_found_by_another_process() {
    assert_eq!(Fixture::filled().ask(), HIT);
}

#[test]
fn another_component_is_a_miss() {
    let mut fixture = Fixture::filled();
    fixture.digest = Digest::of(b"another");
    assert_eq!(fixture.ask(), MISS);
}

#[test]
fn another_engine_is_a_miss() {
    let mut fixture = Fixture::filled();
    let mut config = wasmtime::Config::new();
    config.epoch_interruption(true);
    fixture.engine = wasmtime::Engine::new(&config).unwrap();
    assert_eq!(fixture.ask(), MISS);
}

#[test]
fn a_flipped_bit_anywhere_is_refused() {
    let fixture = Fixture::filled();
    let original = fs::read(fixture.file()).unwrap();
    for position in [0, 31, 32, original.len() / 2, original.len() - 1] {
        let mut changed = original.clone();
        changed[position] ^= 1;
        fs::write(fixture.file(), changed).unwrap();
        assert_eq!(fixture.ask(), REFUSED, "position {position}");
    }
}

#[test]
fn a_truncated_file_is_refused() {
    let fixture = Fixture::filled();
    let original = fs::read(fixture.file()).unwrap();
    for length in [0, 1, 31, 32, 33, original.len() - 1] {
        fs::write(fixture.file(), &original[..length]).unwrap();
        assert_eq!(fixture.ask(), REFUSED, "length {length}");
    }
}

#[test]
fn a_file_under_the_name_of_another_component_is_refused() {
    let mut fixture = Fixture::filled();
    let path = fixture.file();
    let other = Digest::of(b"another");
    let name = path.file_name().unwrap().to_str().unwrap();
    let renamed = name.replace(&fixture.digest.to_string(), &other.to_string());
    fs::rename(&path, path.with_file_name(renamed)).unwrap();
    fixture.digest = other;
    assert_eq!(fixture.ask(), REFUSED);
}

#[test]
fn files_of_another_key_are_refused() {
    let fixture = Fixture::filled();
    fs::write(fixture.file().with_file_name("key"), [7; 32]).unwrap();
    assert_eq!(fixture.ask(), REFUSED);
}

#[test]
fn a_damaged_key_is_replaced_and_its_files_are_refused() {
    let fixture = Fixture::filled();
    fs::write(fixture.file().with_file_name("key"), b"short").unwrap();
    assert_eq!(fixture.ask(), REFUSED);
    assert_eq!(fs::read(fixture.file().with_file_name("key")).unwrap().len(), 32);
}

#[test]
fn a_refused_file_is_replaced() {
    let fixture = Fixture::filled();
    fs::write(fixture.file(), b"garbage").unwrap();
    assert_eq!(fixture.ask(), REFUSED);
    fixture.put(&fixture.open(), fixture.digest);
    assert_eq!(fixture.ask(), HIT);
}

#[test]
fn beyond_the_limit_the_oldest_goes_and_the_newest_stays() {
    let fixture = Fixture::filled();
    let size = fs::metadata(fixture.file()).unwrap().len();
    let cache = fixture.open().with_size_limit(2 * size);
    let old = fixture.file();
    fs::File::options().append(true).open(&old).unwrap().set_modified(std::time::UNIX_EPOCH).unwrap();

    fixture.put(&cache, Digest::of(b"second"));
    assert_eq!(fixture.files().len(), 2);
    fixture.put(&cache, Digest::of(b"third"));
    assert_eq!(fixture.files().len(), 2);
    assert!(!old.exists());

    fixture.put(&fixture.open().with_size_limit(0), Digest::of(b"fourth"));
    assert_eq!(fixture.files().len(), 1, "what was just written stays even if it alone is too large");
}

#[cfg(unix)]
#[test]
fn a_key_that_others_can_read_is_replaced_and_its_files_are_refused() {
    use std::os::unix::fs::PermissionsExt;
    let fixture = Fixture::filled();
    let path = fixture.file().with_file_name("key");
    let known = fs::read(&path).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(fixture.ask(), REFUSED);
    assert_ne!(fs::read(&path).unwrap(), known);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
}

#[cfg(unix)]
#[test]
fn only_its_owner_can_read_it() {
    use std::os::unix::fs::PermissionsExt;
    let fixture = Fixture::filled();
    let mode = |path: PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(fixture.directory.path().join("cache")), 0o700);
    assert_eq!(mode(fixture.file()), 0o600);
    assert_eq!(mode(fixture.file().with_file_name("key")), 0o600);
}

//! Fails when a WebAssembly module imports anything, and names it. It reads core modules, not components.

use std::path::PathBuf;
use std::process::ExitCode;
use std::{env, fs};

/// `\0asm`, version 1.
const HEADER: [u8; 8] = [0, b'a', b's', b'm', 1, 0, 0, 0];
/// The number of the section that lists imports.
const IMPORTS: u8 = 2;
/// The number of the section that lists functions: a module without any proves nothing.
const FUNCTIONS: u8 = 3;

fn main() -> ExitCode {
    let Some(path) = env::args_os().nth(1).map(PathBuf::from) else {
        eprintln!("usage: check-imports MODULE.wasm");
        return ExitCode::from(2);
    };
    match fs::read(&path).map_err(Problem::from).and_then(|module| check(&module)) {
        Ok(functions) => {
            println!("{}: {functions} functions and no imports", path.display());
            ExitCode::SUCCESS
        }
        Err(problem) => {
            eprintln!("error: {}: {problem}", path.display());
            ExitCode::FAILURE
        }
    }
}

#[derive(Debug, thiserror::Error)]
enum Problem {
    #[error("cannot be read: {0}")]
    Unreadable(#[from] std::io::Error),
    #[error("is not a WebAssembly module")]
    NotAModule,
    #[error("has no functions, so that it imports nothing proves nothing")]
    Empty,
    #[error("imports {count}, the first is {module}.{name}: the replay core must reach nothing outside itself")]
    Imports { count: u32, module: String, name: String },
}

/// Walks the sections of a module; returns how many functions it has.
fn check(module: &[u8]) -> Result<u32, Problem> {
    let mut reader = Reader { rest: module.strip_prefix(&HEADER).ok_or(Problem::NotAModule)? };
    let mut functions = 0;
    while !reader.rest.is_empty() {
        let kind = reader.bytes(1)?[0];
        let length = reader.number()?;
        let mut section = Reader { rest: reader.bytes(length)? };
        match kind {
            IMPORTS => refuse_imports(&mut section)?,
            FUNCTIONS => functions = section.number()?,
            _ => {}
        }
    }
    if functions == 0 { Err(Problem::Empty) } else { Ok(functions) }
}

fn refuse_imports(section: &mut Reader<'_>) -> Result<(), Problem> {
    match section.number()? {
        0 => Ok(()),
        count => Err(Problem::Imports { count, module: section.name()?, name: section.name()? }),
    }
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn bytes(&mut self, length: u32) -> Result<&'a [u8], Problem> {
        let (bytes, rest) = self.rest.split_at_checked(length as usize).ok_or(Problem::NotAModule)?;
        self.rest = rest;
        Ok(bytes)
    }

    /// An unsigned LEB128 number of at most 32 bits.
    fn number(&mut self) -> Result<u32, Problem> {
        let mut number = 0;
        for shift in (0..u32::BITS).step_by(7) {
            let byte = self.bytes(1)?[0];
            number |= u32::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(Problem::NotAModule)
    }

    fn name(&mut self) -> Result<String, Problem> {
        let length = self.number()?;
        Ok(String::from_utf8_lossy(self.bytes(length)?).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::check;

    /// Sections after the header, as bytes.
    fn verdict(sections: &[u8]) -> String {
        let module = [&b"\0asm\x01\0\0\0"[..], sections].concat();
        check(&module).map_or_else(|problem| problem.to_string(), |functions| format!("{functions} functions"))
    }

    /// One function of type 0.
    const FUNCTION_SECTION: &[u8] = &[3, 2, 1, 0];

    #[test]
    fn a_module_with_functions_and_no_imports_is_pure() {
        assert_eq!(verdict(FUNCTION_SECTION), "1 functions");
    }

    #[test]
    fn an_import_is_named() {
        // One import: `env.now`, a function of type 0.
        let imports = [&[2, 11, 1, 3][..], b"env", &[3], b"now", &[0, 0]].concat();
        let message = verdict(&[&imports, FUNCTION_SECTION].concat());
        assert!(message.starts_with("imports 1, the first is env.now"), "{message}");
    }

    #[test]
    fn what_proves_nothing_is_refused() {
        assert!(verdict(&[]).starts_with("has no functions"));
        assert_eq!(verdict(&[3, 9, 1]), "is not a WebAssembly module");
        assert_eq!(verdict(&[3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]), "is not a WebAssembly module");
    }
}

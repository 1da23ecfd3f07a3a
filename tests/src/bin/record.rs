//! Plays a test workflow in a process of its own and prints what it did: `record WORKFLOW INPUT SEED`. Two runs of it
//! must print the same.

use std::process::ExitCode;

use everturn_test_world::world::World;
use everturn_tests::player::Compiled;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [workflow, input, seed] = arguments.as_slice() else {
        eprintln!("usage: record WORKFLOW INPUT SEED");
        return ExitCode::from(2);
    };
    let Ok(seed) = seed.parse() else {
        eprintln!("the seed is not a number: {seed}");
        return ExitCode::from(2);
    };
    match record(seed, workflow, input) {
        Ok(history) => {
            println!("{history}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn record(seed: u64, workflow: &str, input: &str) -> Result<String, Box<dyn std::error::Error>> {
    let recording = World::new(seed).record(&mut Compiled::new(), workflow, input)?;
    Ok(everturn_history::json::to_string(&recording.history)?)
}

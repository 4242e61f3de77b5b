// bindings/rust/check/src/main.rs: the test program: vectors DIR, marks, threads, time, train, version.
mod marks;
mod threads;
mod time;
mod train;
mod vectors;

use std::error::Error;
use std::process::exit;

/// What the subprograms return: errors of the library, of files, and texts.
type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match arguments[..] {
        ["vectors", folder] => vectors::run(folder),
        ["marks"] => marks::run(),
        ["threads"] => threads::run(),
        ["time"] => time::run(),
        ["train"] => train::run(),
        ["version"] => {
            println!("version {}", my_lib::version());
            Ok(())
        }
        _ => Err(format!(
            "expected vectors DIR, marks, threads, time, train or version, got {:?}",
            arguments
        )
        .into()),
    };
    if let Err(error) = outcome {
        eprintln!("{}", error);
        exit(1);
    }
}

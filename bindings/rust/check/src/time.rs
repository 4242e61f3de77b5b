// bindings/rust/check/src/time.rs: nanoseconds of one addition of 25 floats, the minimum of many short loops.
use std::time::Instant;

use my_lib::{add_forward, View, ViewMut};

use crate::Outcome;

const LOOPS: usize = 1000;
const CALLS: usize = 1000; // of one loop: about 20 µs, so that some are not interrupted

pub fn run() -> Outcome<()> {
    let (a, b, mut sum) = ([1.5; 25], [2.5; 25], [0.0; 25]);
    let (input1, input2) = (View::new(&a, [25])?, View::new(&b, [25])?);
    let mut output = ViewMut::new(&mut sum, [25])?;
    let mut least = f64::INFINITY;
    for _ in 0..LOOPS {
        let start = Instant::now();
        for _ in 0..CALLS {
            add_forward(&input1, &input2, &mut output)?;
        }
        least = least.min(start.elapsed().as_secs_f64());
    }
    if sum != [4.0; 25] {
        return Err(format!("add_forward: expected 4, got {:?}", sum).into());
    }
    println!("time {:.2}", least / CALLS as f64 * 1e9);
    Ok(())
}

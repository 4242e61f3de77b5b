// bindings/rust/check/src/threads.rs: 8 threads at once: large calls that OpenMP shares, small ones, and errors.
use std::thread;

use my_lib::{add_forward, linear_forward, View, ViewMut, Workspace};

use crate::Outcome;

const THREADS: usize = 8;
const ROUNDS: usize = 25;
const SMALL_CALLS: usize = 200; // of one round
const SIZE: usize = 256;

pub fn run() -> Outcome<()> {
    let threads: Vec<_> = (0..THREADS)
        .map(|number| thread::spawn(move || work(number)))
        .collect();
    let mut calls = 0;
    for thread in threads {
        calls += thread.join().expect("a thread panicked")?;
    }
    println!("threads {}", calls);
    Ok(())
}

/// Returns how many calls it made. All values are small integers, so that sums are exact.
fn work(number: usize) -> Outcome<usize> {
    let input: Vec<f32> = (0..SIZE * SIZE)
        .map(|i| ((i / SIZE + i) % 7) as f32)
        .collect();
    let weight: Vec<f32> = (0..SIZE * SIZE)
        .map(|i| ((i / SIZE * 3 + i) % 5) as f32)
        .collect();
    let bias = vec![number as f32; SIZE];
    let row = |array: &[f32], i: usize| array[i * SIZE..(i + 1) * SIZE].to_vec();
    let dot = |a: Vec<f32>, b: Vec<f32>| a.iter().zip(&b).map(|(a, b)| a * b).sum::<f32>();
    let expected: Vec<f32> = (0..SIZE * SIZE)
        .map(|i| bias[i % SIZE] + dot(row(&input, i / SIZE), row(&weight, i % SIZE)))
        .collect();

    let (mut output, mut workspace, mut calls) = (vec![0.0; SIZE * SIZE], Workspace::new(), 0);
    let small = [number as f32; 6];
    let other = vec![1.0; 2 * (number + 4)];
    for _ in 0..ROUNDS {
        output.fill(f32::NAN);
        linear_forward(
            &View::new(&input, [SIZE, SIZE])?,
            &View::new(&weight, [SIZE, SIZE])?,
            Some(&View::new(&bias, [SIZE])?),
            &mut ViewMut::new(&mut output, [SIZE, SIZE])?,
            &mut workspace,
        )?;
        if output != expected {
            return Err(format!("thread {}: linear_forward: wrong values", number).into());
        }
        for _ in 0..SMALL_CALLS {
            let (input1, mut sum) = (View::new(&small, [2, 3])?, [0.0; 6]);
            add_forward(&input1, &input1, &mut ViewMut::new(&mut sum, [2, 3])?)?;
            let input2 = View::new(&other, [2, number + 4])?;
            let message = match add_forward(&input1, &input2, &mut ViewMut::new(&mut sum, [2, 3])?)
            {
                Ok(()) => "success".to_string(),
                Err(error) => error.message().to_string(),
            };
            let wanted = format!("input2: expected shape (2, 3), got (2, {})", number + 4);
            if message != wanted || sum != [2.0 * number as f32; 6] {
                return Err(format!(
                    "thread {}: expected {}, got {} and {:?}",
                    number, wanted, message, sum
                )
                .into());
            }
        }
        calls += 1 + 2 * SMALL_CALLS;
    }
    Ok(calls)
}

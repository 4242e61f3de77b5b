// bindings/rust/check/src/marks.rs: whether C gets the caller's own arrays: the stand-in library has marked each.
use std::ptr;

use my_lib::{
    add_forward, linear_forward, lltm_forward, lltm_sequence_forward, LltmInputs, LltmOutputs,
    View, ViewMut, Workspace,
};

use crate::Outcome;

const MARK: f32 = 1234.5;
const BATCH: usize = 3;
const INPUT: usize = 5;
const STATE: usize = 4;
const STEPS: usize = 2;

pub fn run() -> Outcome<()> {
    let workspace = &mut Workspace::new();
    let array = |count: usize| vec![0.0f32; count];

    let (a, b, mut sum) = (array(6), array(6), array(6));
    add_forward(
        &View::new(&a, [2, 3])?,
        &View::new(&b, [2, 3])?,
        &mut ViewMut::new(&mut sum, [2, 3])?,
    )?;
    let mut marked = count("add_forward", &[&a, &b, &sum])?;

    let (input, weight, bias, mut output) = (array(6), array(12), array(4), array(8));
    linear_forward(
        &View::new(&input, [2, 3])?,
        &View::new(&weight, [4, 3])?,
        Some(&View::new(&bias, [4])?),
        &mut ViewMut::new(&mut output, [2, 4])?,
        workspace,
    )?;
    marked += count("linear_forward", &[&input, &weight, &bias, &output])?;

    let (weights, bias) = (array(3 * STATE * (STATE + INPUT)), array(3 * STATE));
    let (input, old_h, old_cell) = (
        array(BATCH * INPUT),
        array(BATCH * STATE),
        array(BATCH * STATE),
    );
    let (mut h, mut cell, mut gates) = (
        array(BATCH * STATE),
        array(BATCH * STATE),
        array(BATCH * 3 * STATE),
    );
    lltm_forward(
        LltmInputs {
            input: View::new(&input, [BATCH, INPUT])?,
            weights: View::new(&weights, [3 * STATE, STATE + INPUT])?,
            bias: View::new(&bias, [3 * STATE])?,
            old_h: View::new(&old_h, [BATCH, STATE])?,
            old_cell: View::new(&old_cell, [BATCH, STATE])?,
        },
        LltmOutputs {
            h: ViewMut::new(&mut h, [BATCH, STATE])?,
            cell: ViewMut::new(&mut cell, [BATCH, STATE])?,
            gates: Some(ViewMut::new(&mut gates, [BATCH, 3 * STATE])?),
        },
        workspace,
    )?;
    marked += count(
        "lltm_forward",
        &[
            &input, &weights, &bias, &old_h, &old_cell, &h, &cell, &gates,
        ],
    )?;

    let (weights, bias) = (array(weights.len()), array(bias.len())); // without marks
    let (input, old_h, old_cell) = (
        array(STEPS * input.len()),
        array(old_h.len()),
        array(old_cell.len()),
    );
    let (mut h, mut cell, mut gates) = (
        array(STEPS * h.len()),
        array(STEPS * cell.len()),
        array(STEPS * gates.len()),
    );
    lltm_sequence_forward(
        LltmInputs {
            input: View::new(&input, [STEPS, BATCH, INPUT])?,
            weights: View::new(&weights, [3 * STATE, STATE + INPUT])?,
            bias: View::new(&bias, [3 * STATE])?,
            old_h: View::new(&old_h, [BATCH, STATE])?,
            old_cell: View::new(&old_cell, [BATCH, STATE])?,
        },
        LltmOutputs {
            h: ViewMut::new(&mut h, [STEPS, BATCH, STATE])?,
            cell: ViewMut::new(&mut cell, [STEPS, BATCH, STATE])?,
            gates: Some(ViewMut::new(&mut gates, [STEPS, BATCH, 3 * STATE])?),
        },
        workspace,
    )?;
    marked += count(
        "lltm_sequence_forward",
        &[
            &input, &weights, &bias, &old_h, &old_cell, &h, &cell, &gates,
        ],
    )?;

    println!("marks {}", marked);
    Ok(())
}

/// How many arrays these are; an error if one has no mark. Read as volatile: Rust may assume that nobody wrote to what
/// is behind a shared reference, and the stand-in did.
fn count(function: &str, arrays: &[&[f32]]) -> Outcome<usize> {
    for (index, array) in arrays.iter().enumerate() {
        let first = unsafe { ptr::read_volatile(array.as_ptr()) };
        if first != MARK {
            return Err(format!(
                "{}: array {}: expected the mark {}, got {}",
                function, index, MARK, first
            )
            .into());
        }
    }
    Ok(arrays.len())
}

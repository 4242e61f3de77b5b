// bindings/rust/check/src/train.rs: trains an LLTM with one output to add products; prints the loss of the last step.
use my_lib::{
    linear_backward, linear_forward, lltm_sequence_backward, lltm_sequence_forward,
    LinearGradients, LltmGradients, LltmInputs, LltmOutputs, LltmSequenceBackward, View, ViewMut,
    Workspace,
};

use crate::Outcome;

const TRAINING_STEPS: usize = 200;
const SEQ_LEN: usize = 8;
const BATCH: usize = 16;
const INPUT_SIZE: usize = 2;
const STATE_SIZE: usize = 16;
const LEARNING_RATE: f32 = 0.1;

pub fn run() -> Outcome<()> {
    let mut generator = Generator { state: 2463534242 };
    let (weights_shape, head_shape) = ([3 * STATE_SIZE, STATE_SIZE + INPUT_SIZE], [1, STATE_SIZE]);
    let input_shape = [SEQ_LEN, BATCH, INPUT_SIZE];
    let (state_shape, last_shape) = ([SEQ_LEN, BATCH, STATE_SIZE], [BATCH, STATE_SIZE]);
    let gates_shape = [SEQ_LEN, BATCH, 3 * STATE_SIZE];

    let mut weights = generator.array(weights_shape.iter().product(), 0.5);
    let mut bias = vec![0.0; 3 * STATE_SIZE];
    let mut head_weight = generator.array(STATE_SIZE, 0.5);
    let mut head_bias = vec![0.0; 1];

    let (zero_state, zero_grad_h) = (
        vec![0.0; BATCH * STATE_SIZE],
        vec![0.0; SEQ_LEN * BATCH * STATE_SIZE],
    );
    let (mut h, mut cell) = (zero_grad_h.clone(), zero_grad_h.clone());
    let mut gates = vec![0.0; gates_shape.iter().product()];
    let (mut output, mut grad_output, mut grad_last_h) =
        (vec![0.0; BATCH], vec![0.0; BATCH], zero_state.clone());
    let (mut d_weights, mut d_bias) = (weights.clone(), bias.clone());
    let (mut d_head_weight, mut d_head_bias) = (head_weight.clone(), head_bias.clone());
    let (mut workspace, mut loss) = (Workspace::new(), 0.0);

    for _ in 0..TRAINING_STEPS {
        let input = generator.array(input_shape.iter().product(), 2.0);
        let mut target = [0.0f32; BATCH];
        for step in input.chunks(BATCH * INPUT_SIZE) {
            for (target, pair) in target.iter_mut().zip(step.chunks(INPUT_SIZE)) {
                *target += pair[0] * pair[1];
            }
        }

        lltm_sequence_forward(
            LltmInputs {
                input: View::new(&input, input_shape)?,
                weights: View::new(&weights, weights_shape)?,
                bias: View::new(&bias, [3 * STATE_SIZE])?,
                old_h: View::new(&zero_state, last_shape)?,
                old_cell: View::new(&zero_state, last_shape)?,
            },
            LltmOutputs {
                h: ViewMut::new(&mut h, state_shape)?,
                cell: ViewMut::new(&mut cell, state_shape)?,
                gates: Some(ViewMut::new(&mut gates, gates_shape)?),
            },
            &mut workspace,
        )?;
        let last_h = View::new(&h[(SEQ_LEN - 1) * BATCH * STATE_SIZE..], last_shape)?;
        linear_forward(
            &last_h,
            &View::new(&head_weight, head_shape)?,
            Some(&View::new(&head_bias, [1])?),
            &mut ViewMut::new(&mut output, [BATCH, 1])?,
            &mut workspace,
        )?;

        loss = 0.0;
        for ((output, target), grad) in output.iter().zip(&target).zip(&mut grad_output) {
            let difference = output - target;
            loss += f64::from(difference) * f64::from(difference) / BATCH as f64;
            *grad = 2.0 * difference / BATCH as f32;
        }

        linear_backward(
            &View::new(&grad_output, [BATCH, 1])?,
            Some(&last_h),
            Some(&View::new(&head_weight, head_shape)?),
            LinearGradients {
                grad_input: Some(ViewMut::new(&mut grad_last_h, last_shape)?),
                grad_weight: Some(ViewMut::new(&mut d_head_weight, head_shape)?),
                grad_bias: Some(ViewMut::new(&mut d_head_bias, [1])?),
            },
            &mut workspace,
        )?;
        lltm_sequence_backward(
            LltmSequenceBackward {
                grad_h: View::new(&zero_grad_h, state_shape)?,
                grad_last_h: Some(View::new(&grad_last_h, last_shape)?),
                grad_last_cell: None,
                cell: View::new(&cell, state_shape)?,
                gates: View::new(&gates, gates_shape)?,
                input: View::new(&input, input_shape)?,
                h: View::new(&h, state_shape)?,
                old_h: View::new(&zero_state, last_shape)?,
                old_cell: View::new(&zero_state, last_shape)?,
                weights: View::new(&weights, weights_shape)?,
            },
            LltmGradients {
                d_weights: Some(ViewMut::new(&mut d_weights, weights_shape)?),
                d_bias: Some(ViewMut::new(&mut d_bias, [3 * STATE_SIZE])?),
                ..Default::default()
            },
            &mut workspace,
        )?;

        descend(&mut weights, &d_weights);
        descend(&mut bias, &d_bias);
        descend(&mut head_weight, &d_head_weight);
        descend(&mut head_bias, &d_head_bias);
    }
    println!("loss {:.6}", loss);
    Ok(())
}

fn descend(parameter: &mut [f32], gradient: &[f32]) {
    for (parameter, gradient) in parameter.iter_mut().zip(gradient) {
        *parameter -= LEARNING_RATE * gradient;
    }
}

/// xorshift32, from Marsaglia, "Xorshift RNGs", 2003.
struct Generator {
    state: u32,
}

impl Generator {
    /// From -0.5 to 0.5.
    fn uniform(&mut self) -> f32 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 17;
        self.state ^= self.state << 5;
        (self.state >> 8) as f32 / 16777216.0 - 0.5
    }

    fn array(&mut self, count: usize, scale: f32) -> Vec<f32> {
        (0..count).map(|_| self.uniform() * scale).collect()
    }
}

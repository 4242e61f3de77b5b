// bindings/rust/my-lib/src/lltm.rs: the LLTM cell, one step and a sequence of steps.
//
// In the structs N is 2 for one step and 3 for a sequence, whose arrays have seq_len as their first size.
use my_lib_sys as sys;

use crate::error::{check, Result};
use crate::view::{expect_if_given, pointer_or_null, pointer_or_null_mut, View, ViewMut};
use crate::workspace::Workspace;

/// What the forward functions read.
#[derive(Clone, Copy, Debug)]
pub struct LltmInputs<'a, const N: usize> {
    /// (batch, input_size); of a sequence (seq_len, batch, input_size).
    pub input: View<'a, N>,
    /// (3 * state_size, state_size + input_size); its columns act on [old_h, input].
    pub weights: View<'a, 2>,
    /// (3 * state_size).
    pub bias: View<'a, 1>,
    /// The state before: (batch, state_size).
    pub old_h: View<'a, 2>,
    /// (batch, state_size).
    pub old_cell: View<'a, 2>,
}

/// What the forward functions write.
#[derive(Debug)]
pub struct LltmOutputs<'a, const N: usize> {
    /// The new state: (batch, state_size); of a sequence (seq_len, batch, state_size).
    pub h: ViewMut<'a, N>,
    /// As `h`.
    pub cell: ViewMut<'a, N>,
    /// What backward needs: (batch, 3 * state_size); of a sequence (seq_len, batch, 3 * state_size).
    pub gates: Option<ViewMut<'a, N>>,
}

/// What the backward functions write; `None` is not computed. The shapes are those of the forward call.
#[derive(Debug, Default)]
pub struct LltmGradients<'a, const N: usize> {
    pub d_input: Option<ViewMut<'a, N>>,
    pub d_weights: Option<ViewMut<'a, 2>>,
    pub d_bias: Option<ViewMut<'a, 1>>,
    pub d_old_h: Option<ViewMut<'a, 2>>,
    pub d_old_cell: Option<ViewMut<'a, 2>>,
}

/// What [`lltm_backward`] reads: the gradients of the new state, what forward gave and what it read.
#[derive(Clone, Copy, Debug)]
pub struct LltmBackward<'a> {
    pub grad_h: View<'a, 2>,
    pub grad_cell: View<'a, 2>,
    pub new_cell: View<'a, 2>,
    pub gates: View<'a, 2>,
    pub input: View<'a, 2>,
    pub old_h: View<'a, 2>,
    pub weights: View<'a, 2>,
}

/// What [`lltm_sequence_backward`] reads: the gradients of every `h`, further ones of the last state (`None` counts as
/// zero), what forward gave and what it read.
#[derive(Clone, Copy, Debug)]
pub struct LltmSequenceBackward<'a> {
    pub grad_h: View<'a, 3>,
    pub grad_last_h: Option<View<'a, 2>>,
    pub grad_last_cell: Option<View<'a, 2>>,
    pub cell: View<'a, 3>,
    pub gates: View<'a, 3>,
    pub input: View<'a, 3>,
    pub h: View<'a, 3>,
    pub old_h: View<'a, 2>,
    pub old_cell: View<'a, 2>,
    pub weights: View<'a, 2>,
}

/// The sizes that an input (batch, input_size) and a state (batch, state_size) say, and the shapes that follow.
#[derive(Clone, Copy)]
struct Sizes {
    batch: usize,
    input_size: usize,
    state_size: usize,
}

impl Sizes {
    fn of(input: [usize; 2], old_h: View<'_, 2>) -> Result<Self> {
        let ([batch, input_size], [_, state_size]) = (input, old_h.shape());
        old_h.expect("old_h", [batch, state_size])?;
        Ok(Sizes {
            batch,
            input_size,
            state_size,
        })
    }

    fn state(&self) -> [usize; 2] {
        [self.batch, self.state_size]
    }

    fn gates(&self) -> [usize; 2] {
        [self.batch, self.state_size.saturating_mul(3)]
    }

    fn weights(&self) -> [usize; 2] {
        [
            self.state_size.saturating_mul(3),
            self.state_size + self.input_size,
        ]
    }

    fn bias(&self) -> [usize; 1] {
        [self.state_size.saturating_mul(3)]
    }

    fn c(&self) -> [i64; 3] {
        [
            self.batch as i64,
            self.input_size as i64,
            self.state_size as i64,
        ]
    }
}

/// The shape of one step, for every step.
fn steps(seq_len: usize, [first, second]: [usize; 2]) -> [usize; 3] {
    [seq_len, first, second]
}

impl<const N: usize> LltmInputs<'_, N> {
    fn check(&self, sizes: Sizes) -> Result<()> {
        self.weights.expect("weights", sizes.weights())?;
        self.bias.expect("bias", sizes.bias())?;
        self.old_cell.expect("old_cell", sizes.state())
    }
}

impl<const N: usize> LltmOutputs<'_, N> {
    fn check(&self, state: [usize; N], gates: [usize; N]) -> Result<()> {
        self.h.expect("h", state)?;
        self.cell.expect("cell", state)?;
        expect_if_given("gates", &self.gates, gates)
    }
}

impl<const N: usize> LltmGradients<'_, N> {
    fn check(&self, input: [usize; N], sizes: Sizes) -> Result<()> {
        expect_if_given("d_input", &self.d_input, input)?;
        expect_if_given("d_weights", &self.d_weights, sizes.weights())?;
        expect_if_given("d_bias", &self.d_bias, sizes.bias())?;
        expect_if_given("d_old_h", &self.d_old_h, sizes.state())?;
        expect_if_given("d_old_cell", &self.d_old_cell, sizes.state())
    }
}

/// One step. [a_i, a_o, a_c] = [old_h, input] weights^T + bias; input gate i = sigmoid(a_i), output gate o =
/// sigmoid(a_o), candidate c = elu(a_c); cell = old_cell + c * i, h = tanh(cell) * o, gates = [i, o, c].
///
/// Errors: shapes that do not fit.
pub fn lltm_forward(
    inputs: LltmInputs<'_, 2>,
    mut outputs: LltmOutputs<'_, 2>,
    workspace: &mut Workspace,
) -> Result<()> {
    let sizes = Sizes::of(inputs.input.shape(), inputs.old_h)?;
    inputs.check(sizes)?;
    outputs.check(sizes.state(), sizes.gates())?;
    let [batch, input_size, state_size] = sizes.c();
    check(unsafe {
        let bytes = sys::lltm_forward_workspace_size(batch, input_size, state_size);
        let (workspace, workspace_size) = workspace.reserve(bytes)?;
        sys::lltm_forward(
            inputs.input.pointer(),
            inputs.weights.pointer(),
            inputs.bias.pointer(),
            inputs.old_h.pointer(),
            inputs.old_cell.pointer(),
            batch,
            input_size,
            state_size,
            outputs.h.pointer(),
            outputs.cell.pointer(),
            pointer_or_null_mut(&mut outputs.gates),
            workspace,
            workspace_size,
        )
    })
}

/// The gradients of one step, as my_lib.h has them.
///
/// Errors: shapes that do not fit.
pub fn lltm_backward(
    inputs: LltmBackward<'_>,
    mut gradients: LltmGradients<'_, 2>,
    workspace: &mut Workspace,
) -> Result<()> {
    let sizes = Sizes::of(inputs.input.shape(), inputs.old_h)?;
    inputs.weights.expect("weights", sizes.weights())?;
    inputs.grad_h.expect("grad_h", sizes.state())?;
    inputs.grad_cell.expect("grad_cell", sizes.state())?;
    inputs.new_cell.expect("new_cell", sizes.state())?;
    inputs.gates.expect("gates", sizes.gates())?;
    gradients.check(inputs.input.shape(), sizes)?;
    let [batch, input_size, state_size] = sizes.c();
    check(unsafe {
        let bytes = sys::lltm_backward_workspace_size(batch, input_size, state_size);
        let (workspace, workspace_size) = workspace.reserve(bytes)?;
        sys::lltm_backward(
            inputs.grad_h.pointer(),
            inputs.grad_cell.pointer(),
            inputs.new_cell.pointer(),
            inputs.gates.pointer(),
            inputs.input.pointer(),
            inputs.old_h.pointer(),
            inputs.weights.pointer(),
            batch,
            input_size,
            state_size,
            pointer_or_null_mut(&mut gradients.d_input),
            pointer_or_null_mut(&mut gradients.d_weights),
            pointer_or_null_mut(&mut gradients.d_bias),
            pointer_or_null_mut(&mut gradients.d_old_h),
            pointer_or_null_mut(&mut gradients.d_old_cell),
            workspace,
            workspace_size,
        )
    })
}

/// `seq_len` steps, each with the state of the one before; `h` and `cell` are the state after each step.
///
/// Errors: shapes that do not fit.
pub fn lltm_sequence_forward(
    inputs: LltmInputs<'_, 3>,
    mut outputs: LltmOutputs<'_, 3>,
    workspace: &mut Workspace,
) -> Result<()> {
    let [seq_len, batch, input_size] = inputs.input.shape();
    let sizes = Sizes::of([batch, input_size], inputs.old_h)?;
    inputs.check(sizes)?;
    outputs.check(steps(seq_len, sizes.state()), steps(seq_len, sizes.gates()))?;
    let ([batch, input_size, state_size], seq_len) = (sizes.c(), seq_len as i64);
    check(unsafe {
        let bytes =
            sys::lltm_sequence_forward_workspace_size(seq_len, batch, input_size, state_size);
        let (workspace, workspace_size) = workspace.reserve(bytes)?;
        sys::lltm_sequence_forward(
            inputs.input.pointer(),
            inputs.weights.pointer(),
            inputs.bias.pointer(),
            inputs.old_h.pointer(),
            inputs.old_cell.pointer(),
            seq_len,
            batch,
            input_size,
            state_size,
            outputs.h.pointer(),
            outputs.cell.pointer(),
            pointer_or_null_mut(&mut outputs.gates),
            workspace,
            workspace_size,
        )
    })
}

/// Back-propagation through time.
///
/// Errors: shapes that do not fit.
pub fn lltm_sequence_backward(
    inputs: LltmSequenceBackward<'_>,
    mut gradients: LltmGradients<'_, 3>,
    workspace: &mut Workspace,
) -> Result<()> {
    let [seq_len, batch, input_size] = inputs.input.shape();
    let sizes = Sizes::of([batch, input_size], inputs.old_h)?;
    inputs.weights.expect("weights", sizes.weights())?;
    inputs.old_cell.expect("old_cell", sizes.state())?;
    for (name, last) in [
        ("grad_last_h", inputs.grad_last_h),
        ("grad_last_cell", inputs.grad_last_cell),
    ] {
        last.map_or(Ok(()), |last| last.expect(name, sizes.state()))?;
    }
    inputs
        .grad_h
        .expect("grad_h", steps(seq_len, sizes.state()))?;
    inputs.cell.expect("cell", steps(seq_len, sizes.state()))?;
    inputs.h.expect("h", steps(seq_len, sizes.state()))?;
    inputs
        .gates
        .expect("gates", steps(seq_len, sizes.gates()))?;
    gradients.check(inputs.input.shape(), sizes)?;
    let ([batch, input_size, state_size], seq_len) = (sizes.c(), seq_len as i64);
    check(unsafe {
        let bytes =
            sys::lltm_sequence_backward_workspace_size(seq_len, batch, input_size, state_size);
        let (workspace, workspace_size) = workspace.reserve(bytes)?;
        sys::lltm_sequence_backward(
            inputs.grad_h.pointer(),
            pointer_or_null(inputs.grad_last_h.as_ref()),
            pointer_or_null(inputs.grad_last_cell.as_ref()),
            inputs.cell.pointer(),
            inputs.gates.pointer(),
            inputs.input.pointer(),
            inputs.h.pointer(),
            inputs.old_h.pointer(),
            inputs.old_cell.pointer(),
            inputs.weights.pointer(),
            seq_len,
            batch,
            input_size,
            state_size,
            pointer_or_null_mut(&mut gradients.d_input),
            pointer_or_null_mut(&mut gradients.d_weights),
            pointer_or_null_mut(&mut gradients.d_bias),
            pointer_or_null_mut(&mut gradients.d_old_h),
            pointer_or_null_mut(&mut gradients.d_old_cell),
            workspace,
            workspace_size,
        )
    })
}

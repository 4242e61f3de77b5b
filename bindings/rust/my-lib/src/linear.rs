// bindings/rust/my-lib/src/linear.rs: the fully connected layer.
use my_lib_sys as sys;

use crate::error::{check, Result};
use crate::view::{expect_if_given, pointer_or_null, pointer_or_null_mut, View, ViewMut};
use crate::workspace::Workspace;

/// output = input weight^T + bias; without a bias, 0.
///
/// Shapes: input (batch, in_features), weight (out_features, in_features), bias (out_features),
/// output (batch, out_features). Errors: other shapes.
pub fn linear_forward(
    input: &View<'_, 2>,
    weight: &View<'_, 2>,
    bias: Option<&View<'_, 1>>,
    output: &mut ViewMut<'_, 2>,
    workspace: &mut Workspace,
) -> Result<()> {
    let ([batch, in_features], [out_features, _]) = (input.shape(), weight.shape());
    weight.expect("weight", [out_features, in_features])?;
    bias.map_or(Ok(()), |bias| bias.expect("bias", [out_features]))?;
    output.expect("output", [batch, out_features])?;
    let [batch, in_features, out_features] =
        [batch as i64, in_features as i64, out_features as i64];
    check(unsafe {
        let bytes = sys::my_lib_linear_forward_workspace_size(batch, in_features, out_features);
        let (workspace, workspace_size) = workspace.reserve(bytes)?;
        sys::my_lib_linear_forward(
            input.pointer(),
            weight.pointer(),
            pointer_or_null(bias),
            batch,
            in_features,
            out_features,
            output.pointer(),
            workspace,
            workspace_size,
        )
    })
}

/// What [`linear_backward`] writes; `None` is not computed. The shapes are those of the forward call.
#[derive(Debug, Default)]
pub struct LinearGradients<'a> {
    pub grad_input: Option<ViewMut<'a, 2>>,
    pub grad_weight: Option<ViewMut<'a, 2>>,
    pub grad_bias: Option<ViewMut<'a, 1>>,
}

/// grad_input = grad_output weight, grad_weight = grad_output^T input, grad_bias = the sum of grad_output over batch.
///
/// Shapes: grad_output (batch, out_features); the others as in [`linear_forward`]. `weight` is needed only for
/// grad_input, `input` only for grad_weight. Errors: other shapes, and an array that is needed but absent.
pub fn linear_backward(
    grad_output: &View<'_, 2>,
    input: Option<&View<'_, 2>>,
    weight: Option<&View<'_, 2>>,
    mut gradients: LinearGradients<'_>,
    workspace: &mut Workspace,
) -> Result<()> {
    let [batch, out_features] = grad_output.shape();
    let in_features = input.or(weight).map_or(0, |array| array.shape()[1]); // without either only grad_bias is possible
    input.map_or(Ok(()), |input| input.expect("input", [batch, in_features]))?;
    weight.map_or(Ok(()), |weight| {
        weight.expect("weight", [out_features, in_features])
    })?;
    expect_if_given("grad_input", &gradients.grad_input, [batch, in_features])?;
    expect_if_given(
        "grad_weight",
        &gradients.grad_weight,
        [out_features, in_features],
    )?;
    expect_if_given("grad_bias", &gradients.grad_bias, [out_features])?;
    let [batch, in_features, out_features] =
        [batch as i64, in_features as i64, out_features as i64];
    check(unsafe {
        let bytes = sys::my_lib_linear_backward_workspace_size(batch, in_features, out_features);
        let (workspace, workspace_size) = workspace.reserve(bytes)?;
        sys::my_lib_linear_backward(
            grad_output.pointer(),
            pointer_or_null(input),
            pointer_or_null(weight),
            batch,
            in_features,
            out_features,
            pointer_or_null_mut(&mut gradients.grad_input),
            pointer_or_null_mut(&mut gradients.grad_weight),
            pointer_or_null_mut(&mut gradients.grad_bias),
            workspace,
            workspace_size,
        )
    })
}

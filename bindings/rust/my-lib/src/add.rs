// bindings/rust/my-lib/src/add.rs: addition.
use my_lib_sys as sys;

use crate::error::{check, Result};
use crate::view::{expect_if_given, pointer_or_null_mut, View, ViewMut};

/// output = input1 + input2.
///
/// Errors: shapes that differ; there is no broadcasting.
#[inline]
pub fn add_forward<const N: usize>(
    input1: &View<'_, N>,
    input2: &View<'_, N>,
    output: &mut ViewMut<'_, N>,
) -> Result<()> {
    output.expect("output", input1.shape())?;
    check(unsafe {
        sys::my_lib_add_forward(
            input1.pointer(),
            input1.sizes(),
            N as i64,
            input2.pointer(),
            input2.sizes(),
            N as i64,
            output.pointer(),
        )
    })
}

/// What [`add_backward`] writes; `None` is not computed.
#[derive(Debug, Default)]
pub struct AddGradients<'a, const N: usize> {
    pub grad_input1: Option<ViewMut<'a, N>>,
    pub grad_input2: Option<ViewMut<'a, N>>,
}

/// grad_input1 = grad_output, grad_input2 = grad_output.
///
/// Errors: shapes that differ.
pub fn add_backward<const N: usize>(
    grad_output: &View<'_, N>,
    mut gradients: AddGradients<'_, N>,
) -> Result<()> {
    expect_if_given("grad_input1", &gradients.grad_input1, grad_output.shape())?;
    expect_if_given("grad_input2", &gradients.grad_input2, grad_output.shape())?;
    check(unsafe {
        sys::my_lib_add_backward(
            grad_output.pointer(),
            grad_output.sizes(),
            N as i64,
            pointer_or_null_mut(&mut gradients.grad_input1),
            pointer_or_null_mut(&mut gradients.grad_input2),
        )
    })
}

// bindings/rust/my-lib/src/view.rs: slices with shapes.
//
// What the unsafe calls of this crate rely on: a view has exactly the elements that its shape says, every view's shape
// was compared with the one that C derives from its sizes, and outputs are borrowed exclusively.
use std::ptr;

use my_lib_sys as sys;

use crate::error::{Error, Result};

#[cfg(not(target_pointer_width = "64"))]
compile_error!("libmy_lib supports 64-bit platforms, whose usize has the size of int64_t");

/// A borrowed array of N dimensions: its elements, contiguous and row-major, and its sizes.
#[derive(Clone, Copy, Debug)]
pub struct View<'a, const N: usize> {
    data: &'a [f32],
    shape: [usize; N],
}

/// The same, for an output.
#[derive(Debug)]
pub struct ViewMut<'a, const N: usize> {
    data: &'a mut [f32],
    shape: [usize; N],
}

impl<'a, const N: usize> View<'a, N> {
    /// Errors: the number of elements is not the product of the sizes.
    #[inline]
    pub fn new(data: &'a [f32], shape: [usize; N]) -> Result<Self> {
        check_count(data.len(), &shape)?;
        Ok(View { data, shape })
    }

    pub fn data(&self) -> &'a [f32] {
        self.data
    }

    #[inline]
    pub fn shape(&self) -> [usize; N] {
        self.shape
    }

    #[inline]
    pub(crate) fn pointer(&self) -> *const f32 {
        self.data.as_ptr()
    }

    /// The sizes as C takes them; check_count refused those that int64_t cannot hold. Functions take views by
    /// reference: a copied shape would still be on its way to memory when C reads it, which costs 10 ns.
    #[inline]
    pub(crate) fn sizes(&self) -> *const i64 {
        self.shape.as_ptr().cast()
    }

    /// Errors: another shape; `name` is that of the argument.
    #[inline]
    pub(crate) fn expect(&self, name: &str, expected: [usize; N]) -> Result<()> {
        expect(name, &self.shape, &expected)
    }
}

impl<'a, const N: usize> ViewMut<'a, N> {
    /// Errors: the number of elements is not the product of the sizes.
    #[inline]
    pub fn new(data: &'a mut [f32], shape: [usize; N]) -> Result<Self> {
        check_count(data.len(), &shape)?;
        Ok(ViewMut { data, shape })
    }

    #[inline]
    pub fn shape(&self) -> [usize; N] {
        self.shape
    }

    #[inline]
    pub(crate) fn pointer(&mut self) -> *mut f32 {
        self.data.as_mut_ptr()
    }

    /// Errors: another shape; `name` is that of the argument.
    #[inline]
    pub(crate) fn expect(&self, name: &str, expected: [usize; N]) -> Result<()> {
        expect(name, &self.shape, &expected)
    }
}

/// An output that may be absent.
pub(crate) fn expect_if_given<const N: usize>(
    name: &str,
    view: &Option<ViewMut<'_, N>>,
    expected: [usize; N],
) -> Result<()> {
    view.as_ref()
        .map_or(Ok(()), |view| view.expect(name, expected))
}

/// The pointer of an array that may be absent.
pub(crate) fn pointer_or_null<const N: usize>(view: Option<&View<'_, N>>) -> *const f32 {
    view.map_or(ptr::null(), View::pointer)
}

pub(crate) fn pointer_or_null_mut<const N: usize>(view: &mut Option<ViewMut<'_, N>>) -> *mut f32 {
    view.as_mut().map_or(ptr::null_mut(), ViewMut::pointer)
}

#[inline]
fn expect<const N: usize>(name: &str, got: &[usize; N], expected: &[usize; N]) -> Result<()> {
    if got == expected {
        return Ok(());
    }
    Err(mismatch(name, expected, got))
}

#[cold]
#[inline(never)] // formatting at every call would make add_forward slower
fn mismatch(name: &str, expected: &[usize], got: &[usize]) -> Error {
    let message = format!(
        "{}: expected shape {}, got {}",
        name,
        text(expected),
        text(got)
    );
    Error::new(sys::MY_LIB_ERROR_SHAPE_MISMATCH, message)
}

#[inline]
fn check_count(count: usize, shape: &[usize]) -> Result<()> {
    let product = shape
        .iter()
        .try_fold(1usize, |product, &size| product.checked_mul(size));
    if product == Some(count) && count != 0 {
        return Ok(());
    }
    check_empty_or_overflowing(count, shape)
}

#[cold]
fn check_empty_or_overflowing(count: usize, shape: &[usize]) -> Result<()> {
    if shape.iter().any(|&size| i64::try_from(size).is_err()) {
        let message = format!(
            "shape: expected sizes of at most {}, got {}",
            i64::MAX,
            text(shape)
        );
        return Err(Error::new(sys::MY_LIB_ERROR_INVALID_SIZE, message));
    }
    if count == 0 && shape.contains(&0) {
        return Ok(());
    }
    let message = format!(
        "data: expected the elements of shape {}, got {} elements",
        text(shape),
        count
    );
    Err(Error::new(sys::MY_LIB_ERROR_SHAPE_MISMATCH, message))
}

/// A shape in the form of C's messages: (2, 3), (5,), ().
fn text(shape: &[usize]) -> String {
    let sizes: Vec<String> = shape.iter().map(usize::to_string).collect();
    format!(
        "({}{})",
        sizes.join(", "),
        if shape.len() == 1 { "," } else { "" }
    )
}

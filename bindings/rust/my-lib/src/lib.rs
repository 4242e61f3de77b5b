// bindings/rust/my-lib/src/lib.rs: the safe interface to libmy_lib: what the library is, and its operators.
//! Neural-network operators of `libmy_lib` on slices with shapes.
//!
//! Arrays are [`View`]s and [`ViewMut`]s: a slice of `f32`, contiguous and row-major, and its sizes. The number of
//! dimensions is part of the type. No function copies or keeps an array. Outputs are overwritten; a gradient that is
//! `None` is not computed. Every function may be called from any number of threads at once.
//!
//! ```no_run
//! use my_lib::{add_forward, View, ViewMut};
//! let (a, b, mut sum) = ([1.0, 2.0, 3.0, 4.0], [10.0; 4], [0.0; 4]);
//! add_forward(&View::new(&a, [2, 2])?, &View::new(&b, [2, 2])?, &mut ViewMut::new(&mut sum, [2, 2])?)?;
//! assert_eq!(sum, [11.0, 12.0, 13.0, 14.0]);
//! # Ok::<(), my_lib::Error>(())
//! ```

// The example above is not run: Cargo 1.65 does not let documentation tests find libmy_lib.

mod add;
mod error;
mod linear;
mod lltm;
mod view;
mod workspace;

pub use add::{add_backward, add_forward, AddGradients};
pub use error::{Error, Result};
pub use linear::{linear_backward, linear_forward, LinearGradients};
pub use lltm::{
    lltm_backward, lltm_forward, lltm_sequence_backward, lltm_sequence_forward, LltmBackward,
    LltmGradients, LltmInputs, LltmOutputs, LltmSequenceBackward,
};
pub use view::{View, ViewMut};
pub use workspace::Workspace;

use my_lib_sys as sys;

/// The version of the loaded library, such as "1.0.0".
pub fn version() -> &'static str {
    error::text(unsafe { sys::my_lib_version() })
}

/// One line about the loaded library: its version, the CPU path in use, and the OpenMP run-time that it shares.
pub fn build_info() -> &'static str {
    error::text(unsafe { sys::my_lib_build_info() })
}

/// Sets how many threads a call may use, in the whole process; 0 follows OpenMP's own number. A program with a pool of
/// threads that call the library takes 1: otherwise each thread of the pool gets OpenMP threads of its own.
///
/// Errors: a negative number.
pub fn set_num_threads(num_threads: i32) -> Result<()> {
    error::check(unsafe { sys::my_lib_set_num_threads(num_threads) })
}

/// How many threads a large call from this thread may use now; at least 1.
pub fn num_threads() -> i32 {
    unsafe { sys::my_lib_get_num_threads() }
}

// bindings/rust/my-lib/src/error.rs: why a call failed.
use std::ffi::CStr;
use std::fmt;
use std::os::raw::c_char;

use my_lib_sys as sys;

pub type Result<T> = std::result::Result<T, Error>;

/// Why a call failed. No output was written. The message names the argument, what was expected and what came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    code: i32,
    message: String,
}

impl Error {
    /// One of the codes `MY_LIB_ERROR_...` of my_lib.h.
    pub fn code(&self) -> i32 {
        self.code
    }

    /// The name of the code, such as "MY_LIB_ERROR_SHAPE_MISMATCH".
    pub fn name(&self) -> &'static str {
        text(unsafe { sys::my_lib_error_name(self.code) })
    }

    pub fn message(&self) -> &str {
        &self.message
    }

    #[cold]
    pub(crate) fn new(code: i32, message: String) -> Self {
        Error { code, message }
    }

    /// That of the calling thread's last failure.
    #[cold]
    pub(crate) fn last() -> Self {
        let message = unsafe { CStr::from_ptr(sys::my_lib_last_error_message()) };
        Error::new(
            unsafe { sys::my_lib_last_error_code() },
            message.to_string_lossy().into_owned(),
        )
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

/// The result of a C function that returns 1 for success and 0 for failure.
#[inline]
pub(crate) fn check(status: i32) -> Result<()> {
    if status == 1 {
        Ok(())
    } else {
        Err(Error::last())
    }
}

/// A text of libmy_lib in static storage.
pub(crate) fn text(static_text: *const c_char) -> &'static str {
    unsafe { CStr::from_ptr(static_text) }
        .to_str()
        .expect("texts of libmy_lib are ASCII")
}

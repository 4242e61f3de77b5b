// bindings/rust/my-lib/src/workspace.rs: memory for intermediate results.
use std::os::raw::c_void;

use my_lib_sys as sys;

use crate::error::{Error, Result};

/// Memory for the intermediate results of a call. It grows when a call needs more, and is meant to be reused: a program
/// needs one for each thread that calls.
#[derive(Debug, Default)]
pub struct Workspace {
    memory: Vec<u8>, // always empty: only its capacity is used, so that growing copies nothing
}

impl Workspace {
    pub fn new() -> Self {
        Self::default()
    }

    /// In bytes.
    pub fn capacity(&self) -> usize {
        self.memory.capacity()
    }

    /// At least `bytes` bytes, what a *_workspace_size function of C returned, and how many there are.
    pub(crate) fn reserve(&mut self, bytes: usize) -> Result<(*mut c_void, usize)> {
        if bytes == usize::MAX {
            return Err(Error::last()); // of the *_workspace_size function
        }
        if self.memory.try_reserve_exact(bytes).is_err() {
            let message = format!("workspace: expected {} bytes of memory, got none", bytes);
            return Err(Error::new(sys::MY_LIB_ERROR_SIZE_OVERFLOW, message));
        }
        Ok((self.memory.as_mut_ptr().cast(), self.memory.capacity()))
    }
}

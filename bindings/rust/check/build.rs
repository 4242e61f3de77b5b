// bindings/rust/check/build.rs: stores in the program where libmy_lib is. A program needs this, or RUSTFLAGS; see
// docs/languages/rust.md.
fn main() {
    println!(
        "cargo:rustc-link-arg-bins=-Wl,-rpath,{}",
        std::env::var("DEP_MY_LIB_LIBDIR").unwrap()
    );
}

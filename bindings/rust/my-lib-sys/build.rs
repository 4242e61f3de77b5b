// bindings/rust/my-lib-sys/build.rs: finds libmy_lib, by the variable MY_LIB (full path of the library) or pkg-config.
//
// Links to it are put into the build folder, where the linker finds it under the name it wants, and where Cargo lets
// `cargo run` and `cargo test` look for libraries. A program that is started in another way needs an rpath. A link
// argument that is given here would not reach the program; crates that depend directly on this one therefore get the
// library's folder as DEP_MY_LIB_LIBDIR in their build scripts.
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, os};

fn main() {
    println!("cargo:rerun-if-env-changed=MY_LIB");
    println!("cargo:rerun-if-env-changed=PKG_CONFIG_PATH");
    let library = match env::var_os("MY_LIB") {
        Some(path) => PathBuf::from(path),
        None => Path::new(&pkg_config()).join("libmy_lib.so.1"),
    };
    let library = library.canonicalize().unwrap_or_else(|error| {
        panic!(
            "MY_LIB: expected a library, got {}: {}",
            library.display(),
            error
        )
    });
    let folder = PathBuf::from(env::var_os("OUT_DIR").unwrap());
    for name in ["libmy_lib.so", "libmy_lib.so.1"] {
        let _ = fs::remove_file(folder.join(name)); // of an earlier run
        os::unix::fs::symlink(&library, folder.join(name)).unwrap();
    }
    println!("cargo:rerun-if-changed={}", library.display());
    println!("cargo:rustc-link-search=native={}", folder.display());
    println!("cargo:rustc-link-lib=dylib=my_lib");
    println!("cargo:libdir={}", library.parent().unwrap().display());
}

fn pkg_config() -> String {
    const EXPECTED: &str =
        "expected MY_LIB=/path/of/libmy_lib.so.1, or PKG_CONFIG_PATH with the folder of my_lib.pc";
    let output = Command::new("pkg-config")
        .args(["--print-errors", "--variable=libdir", "my_lib"])
        .output()
        .unwrap_or_else(|error| panic!("{}; pkg-config: {}", EXPECTED, error));
    if !output.status.success() {
        panic!(
            "{}; pkg-config:\n{}",
            EXPECTED,
            String::from_utf8_lossy(&output.stderr)
        );
    }
    String::from_utf8(output.stdout).unwrap().trim().to_string()
}

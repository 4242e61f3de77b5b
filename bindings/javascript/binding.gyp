# bindings/javascript/binding.gyp: builds build/Release/my_lib.node with node-gyp; build.sh does it with cc alone.
{
    "targets": [
        {
            "target_name": "my_lib",
            "sources": ["src/my_lib.c"],
            "cflags": ["-std=c11", "<!@(pkg-config --cflags my_lib)"],
            "libraries": ["<!@(pkg-config --libs my_lib)"],
            "ldflags": ["-Wl,-rpath,'$$ORIGIN'", "-Wl,-rpath,<!(pkg-config --variable=libdir my_lib)"],
        }
    ]
}

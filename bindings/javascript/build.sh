#!/bin/sh
# bindings/javascript/build.sh: builds build/Release/my_lib.node in the package's folder; needs cc and Node's headers.
#
# pkg-config finds libmy_lib. The module looks for it beside itself, then where it is installed.
set -eu
cd "$(dirname "$0")"
mkdir -p build/Release
headers=$(node -p 'path.resolve(process.execPath, "../../include/node")')
# shellcheck disable=SC2046  # several words
cc -std=c11 -Wall -Wextra -O2 -shared -fPIC "-I$headers" src/my_lib.c $(pkg-config --cflags --libs my_lib) \
    -Wl,-rpath,'$ORIGIN' "-Wl,-rpath,$(pkg-config --variable=libdir my_lib)" -o build/Release/my_lib.node

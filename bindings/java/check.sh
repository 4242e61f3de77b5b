#!/bin/sh
# bindings/java/check.sh: runs the test program with FFM on the newer Java, then, except `time`, with JNA on the older one;
# after `build.sh FOLDER jna` with JNA alone.
#
#     sh check.sh FOLDER TASK [DIR]     after build.sh
set -eu
folder=$1
shift
with_jna() { java -cp "$folder/classes:/usr/share/java/jna.jar" org.torchthaw.mylib.Check "$@"; }
if [ ! -e "$folder/java" ]; then
    with_jna "$@"
    exit
fi
"$folder/java/bin/java" --enable-native-access=ALL-UNNAMED -cp "$folder/classes" org.torchthaw.mylib.Check "$@" \
    >"$folder/ffm.txt"
if [ "$1" != time ]; then
    with_jna "$@" >"$folder/jna.txt"
    diff "$folder/ffm.txt" "$folder/jna.txt" >&2
fi
cat "$folder/ffm.txt"

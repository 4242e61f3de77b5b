#!/bin/sh
# bindings/java/check.sh: runs the test program with FFM on the newer Java, then, except `time`, with JNA on the older one.
#
#     sh check.sh FOLDER TASK [DIR]     after build.sh
set -eu
folder=$1
shift
"$folder/java/bin/java" --enable-native-access=ALL-UNNAMED -cp "$folder/classes" org.torchthaw.mylib.Check "$@" \
    >"$folder/ffm.txt"
if [ "$1" != time ]; then
    java -cp "$folder/classes:/usr/share/java/jna.jar" org.torchthaw.mylib.Check "$@" >"$folder/jna.txt"
    diff "$folder/ffm.txt" "$folder/jna.txt" >&2
fi
cat "$folder/ffm.txt"

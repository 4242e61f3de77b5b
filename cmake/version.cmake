# cmake/version.cmake: the version, which c_api/include/my_lib.h alone states. pyproject.toml and src/torchthaw/base/config.py read
# it there too.
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/../c_api/include/my_lib.h version_lines
    REGEX "#define MY_LIB_VERSION_(MAJOR|MINOR|PATCH) [0-9]+")
list(TRANSFORM version_lines REPLACE "#define MY_LIB_VERSION_[A-Z]+ " "")
list(JOIN version_lines "." torchthaw_version)

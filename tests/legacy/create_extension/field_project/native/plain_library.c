/* tests/legacy/create_extension/field_project/native/plain_library.c: a library without a soname. */
int from_library(void) { return 24; }

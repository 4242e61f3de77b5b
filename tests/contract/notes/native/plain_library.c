/* tests/contract/notes/native/plain_library.c: a library without a soname. */
int from_library(void) { return 24; }

/* tests/legacy/create_extension/field_project/native/plain_source.c: the extension of setup.py. */
int plain_value(void) { return 31; }

/* tests/bindings/odd.c: the functions of odd.h that tests call: each gives back what it got. */
#include "odd.h"

#define ECHO(type, name) type name(type value) { return value; }
ECHO(bool, odd_bool)
ECHO(char, odd_char)
ECHO(uint8_t, odd_byte)
ECHO(int16_t, odd_short)
ECHO(uint16_t, odd_half)
ECHO(unsigned, odd_unsigned)
ECHO(int64_t, odd_long)
ECHO(size_t, odd_size)
ECHO(float, odd_float)
ECHO(double, odd_double)
ECHO(const char *, odd_text)
ECHO(enum odd_mode, odd_enum)
ECHO(int, odd_defined)

float *odd_second(float values[2]) { return values + 1; }

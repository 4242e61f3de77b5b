/* tests/contract/notes/include/place.h: found by a relative include folder. */
#define PLACE 14

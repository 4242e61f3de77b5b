/* tests/legacy/create_extension/field_project/include/place.h: found by a relative include folder. */
#define PLACE 14

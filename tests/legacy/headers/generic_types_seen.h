/* tests/legacy/headers/generic_types_seen.h: writes down for which types it was included. */
seen[count++] = name_of(Real) " " name_of(real) " " name_of(accreal);

#!/usr/bin/env python
# note
print "a", `x`, 0777, 10L
exec "x = 1" in {}
try:
	raise ValueError, "no"
except (ValueError, TypeError), e:
        print >>f, e
def g((a, b), c=lambda (x, y): x): return a <> b

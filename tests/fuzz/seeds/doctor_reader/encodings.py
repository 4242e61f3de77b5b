# -*- coding: latin-1 -*-
x = u"éÿ"
print xdel x
class A: pass

from .functional import repeat, shift, weighted
from .modules import Pyramid, Shift, Weighted

from .functions import pairwise_distance

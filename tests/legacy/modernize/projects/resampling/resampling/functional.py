from .functions import RepeatFunction, ShiftFunction, WeightedFunction

BY_NAME = {"repeat": RepeatFunction, "shift": ShiftFunction}


def repeat(input, *times, **options):
    return RepeatFunction(*times, **options)(input)


def shift(input, by=1, fill=0):
    return ShiftFunction(by, fill=fill)(input)


def weighted(inputs, weights):
    return WeightedFunction(*weights)(*inputs)


def by_name(name, input, *arguments):
    return BY_NAME[name](*arguments)(input)


def shifted_back(input, **options):
    return ShiftFunction(**options)(ShiftFunction(-1)(input))

"""Numbers compared as they are written, without loss."""

import decimal
import math
from decimal import Decimal
from fractions import Fraction

_CONTEXT = decimal.Context(prec=5000, Emin=decimal.MIN_EMIN,
                           Emax=decimal.MAX_EMAX)


def exact(number):
    """A comparable value of any size."""
    return _CONTEXT.create_decimal(number.lexeme)


def whole(value):
    return value == value.to_integral_value(context=_CONTEXT)


def whole_number_between(low, low_open, high, high_open):
    """Whether a whole number lies between the two. For bounds of a thousand
    digits at most, which is what the generator makes."""
    least = math.ceil(Fraction(low))
    if low_open and Fraction(low) == least:
        least += 1
    most = math.floor(Fraction(high))
    if high_open and Fraction(high) == most:
        most -= 1
    return least <= most


ZERO = Decimal(0)
ONE = Decimal(1)

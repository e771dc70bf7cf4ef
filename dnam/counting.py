"""How many of something there are, in words: what every layer says in the same way."""

from projections.counting import VOWELS as VOWELS
from projections.counting import counted as counted

"""Groups as an axis: columns as codes, codes crossed, and what sets groups apart.

A slice is a value of one column, or values of several that hold together. Every value has a code,
every combination a number, and the tallies of all slices are one count on that number.
"""

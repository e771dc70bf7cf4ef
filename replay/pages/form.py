"""How LMDB writes its pages, little-endian, each of PAGE_SIZE bytes::

page      number (8) · pad (2) · flags (2) · lower (2) · upper (2) · where each node is (2 each) · room · nodes
node      low (2) · high (2) · flags (2) · key size (2) · key · data, or the page where large data begins (8)
branch    a node is a key and the page (low, high, flags) that has it and what is behind it; the first key counts
          as the least
large     number (8) · pad (2) · flags (2) · how many pages (4) · data
tree      pad (4) · flags (2) · depth (2) · branch, leaf and large pages, rows, root (8 each)
meta      at 40 the tree of free pages, at 88 that of the tables' names, at 136 the last page, at 144 the commit
free      count (8) · page numbers (8 each): what a row of the tree of free pages has
"""

import struct

PAGE_SIZE = 4096
EMPTY = (1 << 64) - 1
"""The root of a tree without pages."""
PAGE = struct.Struct("<QHHHH")
PLACE = struct.Struct("<H")
"""Where a node is, in its page."""
NODE = struct.Struct("<HHHH")
LARGE = struct.Struct("<QHHI")
NUMBER = struct.Struct("<Q")
TREE = struct.Struct("<IHHQQQQQ")
BRANCH, LEAF, OVERFLOW = 0x01, 0x02, 0x04
"""What a page's flags say that it is."""
BIG, SUB = 0x01, 0x02
"""What a node's flags say of its data: it is large, or it is a tree."""

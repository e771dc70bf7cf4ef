"""The terminal: lines come in, answers go out.

chat        the loop
interrupts  Ctrl-C
reading     lines, edited in a terminal or plain from a pipe
screen      what is printed
"""

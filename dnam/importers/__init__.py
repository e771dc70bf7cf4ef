"""Readers of what other programs wrote: files become a stream of typed things. They know nothing of the log.

`detect.detect(path)` gives a `source.Source`; `merge.in_order` reads several of them in the order of what was said.
"""

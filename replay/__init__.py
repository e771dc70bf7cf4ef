"""The log and time: headers, sealed bodies, keys, the tree, views, and everything that reads or rebuilds them. Sync,
disk only.
"""

"""Voyage AI's encoders, by its own SDK, behind the `Encoder` protocol.

    encoder    texts to vectors, from the first try to the last; the only file with a clock and a socket
    batches    which texts go into one request
    faults     what can go wrong, and what becomes of it: tried again, told, counted against the service

The SDK is the extra `dnam[voyage]` and takes a second to load, so nothing here imports it before it is needed.
"""

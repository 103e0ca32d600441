"""Another server beside ours, for the same work: `python -m bench.peers` installs it apart and measures both in turns.

The peer is the a2a-sdk's gRPC server on its SQL task store. It is no part of `make bench`, since it is installed from
the network, into build/peers; `comparison.tables` gives what the command prints.
"""

"""Measurements, as ratios taken in one run on one machine; `make bench` writes them to docs/performance.md.

One module for each group of scenarios, with one function `tables(bench)`; `__main__` lists them.
"""

import os

# We start many processes beside open channels, and none of them uses a channel of ours.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")

"""Filling a store with invented sessions and transcripts, for tests, demos and benchmarks.

Goes past the use cases on purpose: rows are written in bulk. What it writes is what they would have written, and
tests hold it to that (counters, keys, kinds, spawn paths, message bodies).
"""

from sessiond.store.seeding.filling import Seeded, seed_store
from sessiond.store.seeding.plan import SeedPlan

__all__ = ["SeedPlan", "Seeded", "seed_store"]

"""The Python client of Session Tools; `sessiontools.v1` holds the generated contract."""

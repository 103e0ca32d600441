"""The contract `sessiontools.v1`, generated from proto/; this file is the only one written by hand."""

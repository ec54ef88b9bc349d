"""Makes `tiny` importable, whatever part of the tests is run."""

"""Makes `diagnostic_cases` importable when only these tests are run."""

"""Measurements of the service beside what the platform can do: `python -m benchmarks` from the root of the repository."""

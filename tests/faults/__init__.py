"""The service under faults: scenarios, each short in the tests and long in `python -m tests.faults`."""

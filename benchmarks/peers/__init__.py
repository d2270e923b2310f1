"""The same search served by other means, to compare with."""

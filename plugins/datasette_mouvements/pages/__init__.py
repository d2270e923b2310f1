"""Pages for people: find a movement, understand it, share it, get a key."""

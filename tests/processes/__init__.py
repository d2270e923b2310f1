"""Services and builds that are killed, stopped or given other files while they run."""

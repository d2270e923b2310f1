"""datasette-mouvements: the Datasette hooks, and nothing else."""

"""Official lists of parliamentary staff -> movements and stays; it knows no Datasette, no server and no pages."""

# The distribution that this package is part of; commits, user agents and messages carry its name.
DISTRIBUTION = "datasette-mouvements"
# Days after which a chamber whose last accepted list is older is told to be late.
LATE_DAYS = 10

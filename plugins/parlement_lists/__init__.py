"""Official lists of parliamentary staff -> movements and stays; it knows no Datasette, no server and no pages."""

# The distribution that this package is part of; commits, user agents and messages carry its name.
DISTRIBUTION = "datasette-mouvements"
# A chamber is late when its last accepted list is older than this number of days.
LATE_DAYS = 10

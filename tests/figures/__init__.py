"""The figures about the real lists in documents and comments: each has a name there, and a function here.

`python -m tests.figures` lists them, `python -m tests.figures NAME` makes some. They are made of the lists
at hand (MOUVEMENTS_DATA), or of every list in a folder or a repository that MOUVEMENTS_LISTS names.
"""

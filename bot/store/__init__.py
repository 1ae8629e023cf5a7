"""Shelves: plural nouns, functions that take a transaction. The only SQLAlchemy in the house."""

"""Things: nouns without I/O, clock or SQL."""

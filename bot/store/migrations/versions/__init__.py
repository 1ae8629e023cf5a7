"""Schema changes, in order, the same scripts for both databases."""

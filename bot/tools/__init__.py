"""Tools: what one is (`spec`), and the built-in ones as an explicit tuple (`registry`)."""

"""What phone keyboards make of what was typed, undone: commands are read as they were meant."""

_TYPOGRAPHY = str.maketrans({"—": "--", "–": "-", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "‘": "'", "’": "'"})


def as_typed(arguments: str) -> str:
    """Without space around it, with plain dashes, quotes and apostrophes."""
    return arguments.strip().translate(_TYPOGRAPHY)

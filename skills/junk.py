"""Files that systems leave in archives and nobody means: counted, then left out.

Compiled Python is among them, because it would be run in the place of the source that people read.
"""

_FOLDERS = frozenset({"__macosx", "__pycache__", ".git", ".hg", ".svn"})
_FILES = frozenset({".ds_store", "thumbs.db", "desktop.ini"})
_COMPILED = (".pyc", ".pyo")


def is_junk(path: str) -> bool:
    *folders, name = path.casefold().split("/")
    if not _FOLDERS.isdisjoint(folders):
        return True
    return name in _FILES or name.startswith("._") or name.endswith(_COMPILED)

"""The project's own files, as they would be committed."""

import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
_NOT_OURS = {".git", ".venv", "data", "node_modules", "build", "dist"}


def project_files() -> list[Path]:
    """Every file that git keeps or would keep; without git, every file that is not made by a tool."""
    git = shutil.which("git")
    if git and (ROOT / ".git").exists():
        command = [git, "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        listed = subprocess.run(command, capture_output=True, check=True, text=True).stdout.split("\0")
        return [ROOT / name for name in sorted(set(listed)) if name and (ROOT / name).is_file()]
    found = (path for path in ROOT.rglob("*") if path.is_file())
    return [path for path in found if not _is_made(path.relative_to(ROOT))]


def _is_made(path: Path) -> bool:
    return path.parts[0] in _NOT_OURS or any(part.endswith(("_cache", "__pycache__")) for part in path.parts)


def texts(suffix: str = "") -> dict[str, str]:
    """Name → text of the files that end in `suffix` and are text."""
    found: dict[str, str] = {}
    for path in project_files():
        if path.name.endswith(suffix):
            try:
                found[str(path.relative_to(ROOT))] = path.read_text("utf-8")
            except UnicodeDecodeError:
                continue
    return found

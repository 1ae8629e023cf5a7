"""The import contracts in pyproject.toml, and what the documents say of them."""

import re
import tomllib
from typing import Any

from tests.house.files import ROOT

CONTRACTS: list[dict[str, Any]] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"][
    "contracts"
]


def floors() -> list[list[str]]:
    """The floors of the bot, top to bottom, each with its modules."""
    [contract] = [contract for contract in CONTRACTS if contract.get("containers") == ["bot"]]
    return [re.findall(r"[a-z_]+", layer) for layer in contract["layers"]]


def modules() -> set[str]:
    inside = (ROOT / "bot").iterdir()
    found = {path.stem for path in inside if path.suffix == ".py" or (path.is_dir() and any(path.glob("*.py")))}
    return found - {"__init__"}


def test_every_module_of_the_bot_has_one_floor() -> None:
    placed = [module for floor in floors() for module in floor]
    assert len(placed) == len(set(placed))
    assert modules() - set(placed) == set()


def test_the_floors_allow_no_exception() -> None:
    [contract] = [contract for contract in CONTRACTS if contract.get("containers") == ["bot"]]
    assert contract["exhaustive"] is True
    assert "ignore_imports" not in contract


def doors(forbidden: str) -> set[str]:
    """Which modules may import a library that is forbidden to the others."""
    [contract] = [contract for contract in CONTRACTS if forbidden in contract.get("forbidden_modules", ())]
    allowed = [door.split(" -> ") for door in contract["ignore_imports"]]
    return {importer for importer, imported in allowed if imported == forbidden}


def test_only_the_store_has_a_door_to_sql() -> None:
    assert doors("sqlalchemy") == doors("alembic") == {"bot.store.**"}


def test_only_the_provider_port_has_doors_to_the_models() -> None:
    assert all(door.startswith("bot.llm.") for door in doors("pydantic_ai"))


def test_every_room_of_a_channel_is_walled_off_from_the_others() -> None:
    rooms = {f"channels.{path.parent.name}" for path in (ROOT / "channels").glob("*/adapter.py")}
    [contract] = [contract for contract in CONTRACTS if contract["type"] == "independence"]
    assert rooms <= set(contract["modules"])


def test_the_architecture_names_every_module_of_the_bot() -> None:
    documents = [path.read_text("utf-8") for path in ROOT.glob("docs/architecture.md")]
    for text in documents:
        assert sorted(module for module in modules() if not re.search(rf"\b{module}\b", text)) == []

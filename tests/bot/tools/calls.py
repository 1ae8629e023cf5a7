"""Calls a tool the way the loop does: arguments as JSON gives them, on somebody's behalf."""

from dataclasses import dataclass, replace
from typing import Any

import pytest

from bot.skillset import Skillsets
from bot.stock import Stock
from bot.store.database import Store
from bot.tools.registry import BUILT_IN
from bot.tools.spec import ToolContext, ToolFailure, ToolSpec

NONE = Skillsets(Stock(), {})

BY_NAME: dict[str, ToolSpec[Any]] = {spec.name: spec for spec in BUILT_IN}


@dataclass(frozen=True)
class Caller:
    context: ToolContext

    async def call(self, name: str, /, **arguments: object) -> str:
        spec = BY_NAME[name]
        return await spec.handler(self.context, spec.input.model_validate(arguments))

    async def confirm(self, name: str, /, **arguments: object) -> str:
        spec = BY_NAME[name]
        assert spec.confirmation is not None
        return await self.context.store.tx(spec.confirmation, self.context, spec.input.model_validate(arguments))

    async def failure(self, name: str, /, **arguments: object) -> str:
        """The sentence of the not_found that the call and, if it has one, its confirmation both end with."""
        spec = BY_NAME[name]
        said = [await self._refused(spec, arguments, confirming=False)]
        if spec.confirmation is not None:
            said.append(await self._refused(spec, arguments, confirming=True))
        assert len(set(said)) == 1
        return said[0]

    async def _refused(self, spec: ToolSpec[Any], arguments: dict[str, object], *, confirming: bool) -> str:
        with pytest.raises(ToolFailure) as refusal:
            await (self.confirm if confirming else self.call)(spec.name, **arguments)
        assert refusal.value.code == "not_found"
        return refusal.value.message

    def elsewhere(self, scope: str) -> "Caller":
        return Caller(replace(self.context, scope=scope))

    def by(self, persona_id: str) -> "Caller":
        return Caller(replace(self.context, persona_id=persona_id))


def caller(store: Store, now: float = 1_800_000_000.0, skills: Skillsets | None = None) -> Caller:
    where = ("web:admin", "web")
    return Caller(ToolContext(store, "guide", "user:web:admin", "web:admin", "run-1", *where, skills or NONE, now))

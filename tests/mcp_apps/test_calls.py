"""Another program calls with a task token: what it may, as it is asked about, and what it hears."""

import pytest

from tests.mcp_apps.stall import ERAS, Stall, said


@pytest.mark.parametrize("mode", ERAS)
async def test_a_program_lists_and_reads_in_both_eras(stall: Stall, mode: str) -> None:
    token = await stall.token()
    assert await stall.names("notes", token, mode) == ["list_notes", "add_note", "delete_note"]
    result = await stall.call("notes", token, "list_notes", mode=mode)
    assert said(result) == "There are no notes."
    assert not result.is_error

"""The built-in tools, written out."""

from typing import Any

from bot.tools.clock import current_time
from bot.tools.form import ask_form
from bot.tools.knowledge import (
    add_persona_knowledge,
    delete_persona_document,
    list_persona_documents,
    search_persona_knowledge,
)
from bot.tools.memory import (
    delete_persona_memory,
    read_persona_memories,
    save_persona_memory,
    update_persona_memory,
)
from bot.tools.notes import add_note, delete_note, list_notes
from bot.tools.silent_exit import silent_exit
from bot.tools.skills import load_skill, read_skill_file, run_skill_script
from bot.tools.spec import ToolSpec

BUILT_IN: tuple[ToolSpec[Any], ...] = (
    search_persona_knowledge,
    list_persona_documents,
    add_persona_knowledge,
    delete_persona_document,
    read_persona_memories,
    save_persona_memory,
    update_persona_memory,
    delete_persona_memory,
    list_notes,
    add_note,
    delete_note,
    load_skill,
    read_skill_file,
    run_skill_script,
    current_time,
    ask_form,
    silent_exit,
)

"""The names of the rules by which skills are refused. They stay: programs may rely on them."""

from typing import Literal

ArchiveRule = Literal[
    "not_a_zip",
    "damaged",
    "zip64",
    "zip_too_large",
    "too_many_entries",
    "file_too_large",
    "total_too_large",
    "ratio_too_high",
    "overlap",
    "encrypted",
    "compression",
    "link",
    "special_file",
    "name_encoding",
    "control_character",
    "backslash",
    "absolute_path",
    "drive_letter",
    "colon",
    "empty_part",
    "parent_path",
    "name_end",
    "reserved_name",
    "path_too_long",
    "too_deep",
    "duplicate_name",
    "name_collision",
    "file_and_folder",
]
"""Why an archive may not be unpacked."""

ContentRule = Literal[
    "no_skill_md",
    "same_name",
    "file_too_long",
    "encoding",
    "no_header",
    "open_header",
    "header_too_long",
    "yaml",
    "alias",
    "tag",
    "key",
    "duplicate_key",
    "too_deep",
    "wrong_type",
    "too_long",
    "unknown_key",
    "name",
    "name_missing",
    "name_reserved",
    "name_fixed",
    "description_missing",
    "tools",
    "limit",
    "hidden_text",
    "unwritable",
    "unknown_tool",
]
"""Why what was brought is no skill that can be read whole."""

LibraryRule = Literal["link", "unreadable", "builtin_name", "same_name"]
"""Why a folder of the library is not used, beside what its content says."""

Rule = ArchiveRule | ContentRule | LibraryRule

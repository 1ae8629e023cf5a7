import pytest

from skills.names import folded, is_device, is_name, is_reserved, suggested


@pytest.mark.parametrize("name", ["a", "9", "a-b", "pdf-forms-2", "a" * 64])
def test_names_of_the_specification_are_names(name: str) -> None:
    assert is_name(name)
    assert not is_reserved(name)


@pytest.mark.parametrize("name", ["", "-a", "a-", "a--b", "A", "a_b", "a b", "a.b", "é", "技能", "ａ", "a\n", "a" * 65])
def test_other_names_are_none(name: str) -> None:
    """M169: lower-case by rule; the letters of the specification's text, so that no name looks like another."""
    assert not is_name(name)


@pytest.mark.parametrize("name", ["con", "NUL", "com1.txt", "lpt9", "aux .md", "conin$", "COM\u00b9"])
def test_names_of_devices_are_known_whatever_follows(name: str) -> None:
    assert is_device(name)


@pytest.mark.parametrize("name", ["con-trol", "com10", "xcon", "a.con", "tools.md"])
def test_names_that_only_begin_like_devices_are_fine(name: str) -> None:
    assert not is_device(name)


@pytest.mark.parametrize(
    ("text", "name"), [("Document Review!", "document-review"), ("Café_2", "cafe-2"), ("技能", ""), ("--", "")]
)
def test_the_nearest_name_is_suggested(text: str, name: str) -> None:
    assert suggested(text) == name


def test_names_that_somebody_takes_for_one_fold_to_one() -> None:
    """M169."""
    assert folded("ＳＫＩＬＬ.md") == folded("skill.MD") == "skill.md"
    assert folded("e\u0301") == folded("é") == folded("É")
    assert folded("straße") == folded("STRASSE")

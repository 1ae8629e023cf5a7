"""Forms → modals, and back."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels.errors import Refused
from channels.events import Conversation
from channels.fields import Fields, Unreadable
from channels.outgoing import Field, Form
from channels.slack.form import Opened, errors, filled, opened, view
from channels.slack.limits import LIMITS
from tests.channels.documents import fuzz
from tests.channels.slack.blocks import assert_takes_modal

WHERE = Conversation("team", "C0GEN", "1795000000.000100")
PATH = Field("path", "Path")


def made(*fields: Field, title: str = "Change it", lead: str = "", submit: str = "Save") -> dict[str, Any]:
    found = view(Form(title, lead, fields, submit), "tok1", WHERE.key, private=False)
    assert_takes_modal(found)
    return found


def block(field: Field) -> Any:
    [found] = made(field)["blocks"]
    return found


def shown(text: str) -> dict[str, Any]:
    return {"type": "plain_text", "text": text, "emoji": True}


def test_a_form_is_a_modal() -> None:
    found = made(PATH, title="Change <the> call", lead="All of it & more.\nOr not.")
    [lead, _] = found.pop("blocks")
    assert lead == {"type": "section", "text": shown("All of it &amp; more.\nOr not.")}
    assert json.loads(found.pop("private_metadata")) == {"token": "tok1", "where": WHERE.key, "private": False}
    assert found == {
        "type": "modal",
        "callback_id": "form",
        "title": shown("Change &lt;the&gt; call"),
        "submit": shown("Save"),
        "close": shown("Cancel"),
    }


def test_a_field_is_an_input_under_its_name() -> None:
    assert block(Field("path", "Path <in>", "a < b", hint="Where & what", optional=True)) == {
        "type": "input",
        "block_id": "path",
        "label": shown("Path &lt;in&gt;"),
        "hint": shown("Where &amp; what"),
        "optional": True,
        "element": {
            "type": "plain_text_input",
            "action_id": "value",
            "multiline": False,
            "max_length": 3000,
            "initial_value": "a < b",
        },
    }


@pytest.mark.parametrize("field", [Field("n", "Note", long=True), Field("n", "Note", "two\nlines")])
def test_lines_have_room(field: Field) -> None:
    assert block(field)["element"]["multiline"] is True


def test_an_empty_field_has_no_initial_value() -> None:
    assert "initial_value" not in block(PATH)["element"]


def test_a_hint_and_a_lead_of_nothing_are_left_out() -> None:
    [field] = made(Field("path", "Path", hint="\x1b \x07"), lead=" \x00\n")["blocks"]
    assert "hint" not in field


def test_choices_are_a_menu_and_long_ones_are_cut_in_what_is_shown() -> None:
    long = "x" * 150
    element = block(Field("mode", "Mode", "fast", choices=("slow", "fast", long)))["element"]
    assert [option["value"] for option in element["options"]] == ["slow", "fast", long]
    assert [option["text"] for option in element["options"]] == [shown("slow"), shown("fast"), shown("x" * 74 + "…")]
    assert element["initial_option"] == element["options"][1]
    assert "initial_option" not in block(Field("mode", "Mode", "other", choices=("slow",)))["element"]


def test_long_words_around_the_fields_are_cut() -> None:
    field = Field("path", "&" * 3000, "v" * 3000, hint="h" * 3000)
    found = made(field, title="t" * 40, lead="l" * 4000, submit="&" * 40)
    assert found["title"]["text"] == "t" * 23 + "…"
    assert found["submit"]["text"] == "&amp;" * 4 + "…"
    assert len(found["blocks"][0]["text"]["text"]) == 3000
    assert found["blocks"][1]["element"]["initial_value"] == "v" * 3000


@pytest.mark.parametrize(
    "fields",
    [
        (),
        tuple(Field(str(n), "n") for n in range(LIMITS.forms + 1)),
        (Field("n" * 256, "Name"),),
        (Field("", "Name"),),
        (Field("path", " "),),
        (Field("path", "Path", "v" * 3001),),
        (Field("mode", "Mode", choices=("c" * 151,)),),
        (Field("mode", "Mode", choices=("",)),),
        (Field("mode", "Mode", choices=tuple(map(str, range(101)))),),
        (PATH, PATH),
    ],
)
def test_what_slack_would_refuse_or_what_would_lose_a_part_is_refused_here(fields: tuple[Field, ...]) -> None:
    with pytest.raises(Refused):
        view(Form("Title", "", fields, "Save"), "tok1", WHERE.key, private=False)


@pytest.mark.parametrize(("title", "submit"), [("", "Save"), ("Title", " \n")])
def test_a_form_without_a_name_is_refused(title: str, submit: str) -> None:
    with pytest.raises(Refused):
        view(Form(title, "", (PATH,), submit), "tok1", WHERE.key, private=False)


def test_mistakes_are_said_below_their_fields() -> None:
    assert errors({"path": "No <such> file.\x07 ", "note": ""}) == {
        "path": "No <such> file.",
        "note": "This cannot be taken.",
    }


def submitted(form: Form, values: dict[str, str | None], *, private: bool = True) -> Fields:
    """As Slack sends it back: the modal itself, with what was written into it."""
    found = view(form, "tok1", WHERE.key, private)
    state = {}
    for field in form.fields:
        value = values.get(field.name)
        kept = {"value": value} if not field.choices else {"selected_option": value and {"value": value}}
        state[field.name] = {"value": {"type": "plain_text_input", **kept}}
    return Fields("v:1", "view", {**found, "state": {"values": state}})


names = st.text("abc_-.", min_size=1, max_size=8)
values = st.text(max_size=60)


@fuzz
@given(st.dictionaries(names, values, min_size=1, max_size=LIMITS.forms), st.booleans())
def test_what_was_written_comes_back_under_its_name(written: dict[str, str], private: bool) -> None:
    fields = tuple(Field(name, "x", choices=("a", "b") if value == "a" else ()) for name, value in written.items())
    answer = submitted(Form("Title", "", fields, "Save"), dict(written), private=private)
    assert filled(answer) == written
    assert opened("v:1", answer, "team") == Opened("tok1", WHERE, private)


def test_what_was_left_empty_comes_back_empty() -> None:
    form = Form("Title", "lead", (PATH, Field("mode", "Mode", choices=("a",), optional=True)), "Save")
    assert filled(submitted(form, {})) == {"path": "", "mode": ""}


@pytest.mark.parametrize(
    "kept",
    [
        *("", "[]", "7", "{}", '{"token": "t", "where": "nowhere", "private": true}'),
        *('{"token": 1, "where": "team:C", "private": true}', '{"token": "t", "where": "tg:C", "private": true}'),
        *('{"token": "t", "where": "team:", "private": true}', '{"token": "t", "where": "team:a:b:c"}'),
    ],
)
def test_metadata_that_we_did_not_write_is_unreadable(kept: str) -> None:
    with pytest.raises(Unreadable):
        opened("v:1", Fields("v:1", "view", {"private_metadata": kept}), "team")


@fuzz
@given(st.text(max_size=400), st.text(max_size=200), st.text(max_size=4000))
def test_whatever_a_field_is_called_the_modal_is_taken_or_refused(label: str, hint: str, value: str) -> None:
    field = Field("path", label, value, hint=hint)
    choice = Field("mode", "Mode", value[:100], choices=(value[:100], label[:200]))
    for one in (field, choice):
        try:
            found = view(Form("Title", hint, (one,), "Save"), "tok1", WHERE.key, private=True)
        except Refused:
            continue
        assert_takes_modal(found)


def test_any_of_several_choices_is_a_select_of_many_and_comes_back_a_line_each() -> None:
    extras = Field("extras", "Extras", "Sugar\nTea", choices=("Milk", "Sugar", "Tea"), several=True)
    [block] = view(Form("Title", "", (extras,), "Save"), "tok1", WHERE.key, True)["blocks"]
    assert block["element"]["type"] == "multi_static_select"
    assert [each["value"] for each in block["element"]["initial_options"]] == ["Sugar", "Tea"]
    for chosen, value in (([], ""), (["Milk", "Tea"], "Milk\nTea")):
        state = {"extras": {"value": {"selected_options": [{"value": each} for each in chosen]}}}
        submitted = {"blocks": [{"type": "input", "block_id": "extras"}], "state": {"values": state}}
        assert filled(Fields("e", "view", submitted)) == {"extras": value}

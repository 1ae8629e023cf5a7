"""The OpenAPI document: it is one, and says all that is served."""

import re
from copy import deepcopy

import pytest
import schemathesis
from jsonschema import Draft202012Validator

from bot.web.api.table import TABLE
from tests.bot.web.api.document import DOCUMENT
from tests.bot.web.api.house import House


async def test_the_document_is_served_to_whoever_may_read(house: House) -> None:
    served = await house.get("/api/openapi.json")
    assert served["paths"] == DOCUMENT["paths"]
    assert served["components"] == DOCUMENT["components"]
    assert served["openapi"] == "3.1.0"


def test_the_document_is_one_of_openapi() -> None:
    schemathesis.openapi.from_dict(deepcopy(DOCUMENT)).validate()


def test_every_endpoint_is_in_the_document_once() -> None:
    said = [(method.upper(), path) for path, methods in DOCUMENT["paths"].items() for method in methods]
    assert sorted(said) == sorted((each.method, each.path) for each in TABLE)
    assert len({(each.method, each.path) for each in TABLE}) == len(TABLE)


def test_every_operation_has_a_name_of_its_own() -> None:
    names = [operation["operationId"] for methods in DOCUMENT["paths"].values() for operation in methods.values()]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("name", DOCUMENT["components"]["schemas"])
def test_every_schema_is_one(name: str) -> None:
    Draft202012Validator.check_schema(DOCUMENT["components"]["schemas"][name])


def test_every_reference_leads_somewhere() -> None:
    found = set(re.findall(r"'\$ref': '#/components/schemas/([^']+)'", repr(DOCUMENT)))
    assert found
    assert found <= set(DOCUMENT["components"]["schemas"])


def test_what_is_given_refuses_what_it_does_not_know() -> None:
    bodies = [
        content["application/json"]["schema"]["$ref"].rpartition("/")[2]
        for methods in DOCUMENT["paths"].values()
        for operation in methods.values()
        if "application/json" in (content := operation.get("requestBody", {}).get("content", {}))
    ]
    assert bodies
    assert all(DOCUMENT["components"]["schemas"][name]["additionalProperties"] is False for name in bodies)


def test_paths_and_parameters_agree() -> None:
    for path, methods in DOCUMENT["paths"].items():
        for operation in methods.values():
            named = {each["name"] for each in operation.get("parameters", ()) if each["in"] == "path"}
            assert named == set(re.findall(r"\{(\w+)\}", path))


def test_what_only_admins_may_do_is_marked() -> None:
    for methods in DOCUMENT["paths"].values():
        for method, operation in methods.items():
            assert operation["x-scope"] == ("read" if method == "get" else "admin")
            assert ("403" in operation["responses"]) == (method != "get")

"""Any JSON, with the words of schemas in it more often than chance would put them there."""

from hypothesis import strategies as st

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=8)
    | st.sampled_from(["object", "string", "#", "#/$defs/a"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                [
                    "type",
                    "properties",
                    "items",
                    "anyOf",
                    "oneOf",
                    "allOf",
                    "$ref",
                    "$defs",
                    "a",
                    "enum",
                    "const",
                    "required",
                    "description",
                    "prefixItems",
                    "additionalProperties",
                ]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=25,
)

"""The HTTP API: one table of endpoints, from which the routes and the OpenAPI document are made."""

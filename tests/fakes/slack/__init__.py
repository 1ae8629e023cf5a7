"""A Slack server for tests: Web API, Socket Mode and HTTP deliveries; strict, faithful, and driven by a control API.

`client.py` starts it and speaks for the people in its channels; `python -m tests.fakes.slack` runs it alone.
"""

"""The whole service between Slack and a model, by socket and by HTTP."""

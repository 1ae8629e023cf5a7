"""A scripted model server that speaks the OpenAI and the Anthropic wire and is strict about what it is sent."""

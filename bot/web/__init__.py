"""The web server: who is it, what may they load, and how errors look."""

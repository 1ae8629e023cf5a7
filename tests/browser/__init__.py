"""The browser chat in a real Chromium, against a scripted service in a process of its own."""

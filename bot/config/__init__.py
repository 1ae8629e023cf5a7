"""config.yaml → frozen models; secrets by name from the environment; every mistake told at once, with its line and remedy."""

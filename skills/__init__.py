"""Skills are read from disk: instruction packages that name the tools they would like to use."""

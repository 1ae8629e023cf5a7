"""What the Makefile runs: the environment, and the services that tests need."""

"""The provider port: `turn(request) -> answer`, and nothing else."""

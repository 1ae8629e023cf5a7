"""Chat commands: the table (`table`), and what each does."""

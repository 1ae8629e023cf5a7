"""What the embedded command planner is made of; every part is pure."""

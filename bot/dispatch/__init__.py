"""Who works on which conversation, and when: two implementations of one small protocol."""

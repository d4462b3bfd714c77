"""What a reader is given: what is hidden, flagged or outdated, and what stands in its place."""

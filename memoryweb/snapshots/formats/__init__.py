"""What other programs export, and what of it comes in. Pure: a format is one row of `table`."""

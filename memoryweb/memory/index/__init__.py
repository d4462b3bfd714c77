"""The search index on two databases: what it holds, finds and how that is ranked."""

"""Snapshots of a workspace: ZIP archives read strictly, written always the same. Pure."""

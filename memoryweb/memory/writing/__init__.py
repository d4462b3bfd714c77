"""The only way text enters memory, and what every text passes before."""

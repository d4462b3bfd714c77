ROOT = "memory://root/"

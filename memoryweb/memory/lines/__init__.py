"""Where lines came from: origins, history, flags, source class, files as of a moment."""

"""Where frames come from: cameras, files, folders, streams."""

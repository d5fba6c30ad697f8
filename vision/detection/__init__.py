"""From one image to found and read cards."""

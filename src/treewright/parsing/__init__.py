"""What all parsers share."""

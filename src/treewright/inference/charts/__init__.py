"""Dynamic programs: projective trees."""

"""A profile as HTML for notebooks: self-contained, everything from outside escaped."""

"""Folders and files as tars, and back."""

"""What is known of a target so far on this machine, in the results folder."""

import pathlib

import json_file
import kept
import rules

FOUND = ("profile", "oracle", "rules", "checks")


class Results:
    """A file a target. What was found of another target by that name, by another rule or on another
    kind of machine is not known."""

    def __init__(self, folder, target, machine=None):
        self.path = pathlib.Path(folder) / f"{target.name}.json"
        self.is_model = bool(target.model)
        self.stamp = {"name": target.name, "key": kept.key(target, machine or kept.host()),
                      "rulesVersion": rules.RULE}
        found = json_file.read(self.path, {})
        self.outdated = bool(found) and found.get("key") != self.stamp["key"]
        self.values = {} if self.outdated else kept.without_old_rules(found)

    def resume(self, entry, commit, budget_seconds=None):
        """Where nothing was found here yet, what is kept of the same build counts as found. Not of
        a real model: its image is made by a profile."""
        of = entry.get("profile", {}).get("build") or {}
        same = of.get("commit") == commit and of.get("budgetSeconds") == budget_seconds
        # Programs that were never committed have no name of their own.
        if self.values or self.is_model or not commit or commit.endswith("-dirty") or not same:
            return
        if entry.keys() >= set(FOUND):
            self.values = {name: entry[name] for name in FOUND}
            json_file.write(self.path, self.values | self.stamp)

    def once(self, key, find):
        """Finds what is not yet there, and keeps it at once: a run may be cut off."""
        if key not in self.values:
            self.keep(key, find())
        return self.values[key]

    def keep(self, key, value):
        self.values[key] = value
        json_file.write(self.path, self.values | self.stamp)

    def forget(self, *keys):
        for key in keys:
            self.values.pop(key, None)

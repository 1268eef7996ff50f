"""What tests of rows and models that misbehave have in common."""

import target
from server import containers
from target_case import TargetCase

GOOD = target.rows("burn=2", 20)


class BadInputCase(TargetCase):
    def run_profile(self, name, rows, *arguments, **more):
        dataset = self.server.register_rows(name, rows)
        budget = more.pop("budgetSeconds", 30)
        self.server.profile(name, self.model, dataset,
                            target.config(*arguments, requestTimeoutSeconds=2),
                            budgetSeconds=budget, **more)
        profile = self.server.wait_finished(name)
        self.assertEqual(containers(self.server.instance()), [], "containers are left")
        return profile

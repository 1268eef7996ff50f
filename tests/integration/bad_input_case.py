"""What tests of rows and models that misbehave have in common."""

import unittest

import target
from server import Server, containers

GOOD = target.rows("burn=2", 20)


class BadInputCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        target.make_image()
        cls.server = Server().start()
        cls.model = cls.server.register_model("weights", target.model_tar())

    @classmethod
    def tearDownClass(cls):
        cls.server.close()
        target.remove_image()

    def run_profile(self, name, rows, *arguments, **more):
        dataset = self.server.register_rows(name, rows)
        budget = more.pop("budgetSeconds", 30)
        self.server.profile(name, self.model, dataset,
                            target.config(*arguments, requestTimeoutSeconds=2),
                            budgetSeconds=budget, **more)
        profile = self.server.wait_finished(name)
        self.assertEqual(containers(self.server.instance()), [], "containers are left")
        return profile

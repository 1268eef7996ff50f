"""What tests of planted models have in common: their image, a server of their own, a model in it."""

import unittest

import target
from server import Server


class TargetCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        target.make_image()
        cls.server = Server().start()
        cls.model = cls.server.register_model("weights", target.model_tar())

    @classmethod
    def tearDownClass(cls):
        cls.server.close()
        target.remove_image()

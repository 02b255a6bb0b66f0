"""The quickstart in Python, as docs/agents/quickstart.md has it."""

import os
import pathlib
import subprocess
import sys
import unittest

PROGRAM = pathlib.Path(__file__).with_name("quickstart.py")


class Quickstart(unittest.TestCase):
    def test_a_token_is_active_until_it_is_revoked(self) -> None:
        env = {**os.environ, "BASE_URL": os.environ["ISSUER"], "ADMIN_API_KEY": os.environ["API_KEY"]}
        ended = subprocess.run([sys.executable, PROGRAM], env=env, capture_output=True, text=True, check=True)
        self.assertEqual(ended.stdout, '{"active":true}\n{"active":false}\n')


if __name__ == "__main__":
    unittest.main()

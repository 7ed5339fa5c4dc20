import json
import os
import shlex
import subprocess

import pytest
import requests


@pytest.fixture(scope="session")
def store():
    """A pet store in a process of its own: its address and a key of each plan."""
    command = shlex.split(os.environ.get("PETSTORE", "npx --no petstore"))
    demo = [*command, "demo", "--port", "0", "--pets", "50", "--seed", "7", "--json"]
    with subprocess.Popen(demo, stdout=subprocess.PIPE, text=True) as process:
        yield json.loads(process.stdout.readline())
        process.terminate()


@pytest.fixture
def session(store):
    """A session with the key of the plan Business."""
    with requests.Session() as session:
        session.headers["Authorization"] = f"Bearer {store['keys']['business']}"
        yield session

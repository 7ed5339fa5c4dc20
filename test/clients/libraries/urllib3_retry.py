"""requests with urllib3's Retry, as the documentation of both shows it."""

import json
import sys
from concurrent.futures import ThreadPoolExecutor

import requests
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

session = requests.Session()
retry = Retry(total=5, backoff_factor=1, status_forcelist=[429, 500, 502, 503, 504])
session.mount("http://", HTTPAdapter(max_retries=retry, pool_maxsize=100))


def make(call):
    request_id = call.pop("id")
    try:
        response = session.request(call["method"], call["url"], headers=call["headers"], data=call.get("body"))
        outcome = {"status": response.status_code}
    except requests.RequestException as error:
        outcome = {"error": str(error)}
    sys.stdout.write(json.dumps({"id": request_id, **outcome}) + "\n")
    sys.stdout.flush()


print("ready", flush=True)
with ThreadPoolExecutor(max_workers=100) as pool:
    for line in sys.stdin:
        pool.submit(make, json.loads(line))

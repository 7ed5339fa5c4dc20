"""Mirrors pets and categories into SQLite, with Python alone:
PETSTORE_API_KEY=pets_live_… PETSTORE_BASE_URL=http://127.0.0.1:8080/v1 python3 mirror.py"""

import http.client
import json
import os
import re
import sqlite3
import time
import urllib.error
import urllib.request

BASE, KEY = os.environ["PETSTORE_BASE_URL"], os.environ["PETSTORE_API_KEY"]
TYPES = "pet.created,pet.updated,pet.deleted,category.created,category.updated,category.deleted"


class PositionExpired(Exception):
    pass


def get(url, prefer=""):
    """Sends a request until it is answered, and returns the body and the headers."""
    pause = 1
    while True:
        headers = {"Authorization": f"Bearer {KEY}", "Prefer": prefer}
        try:
            with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=60) as answer:
                return json.load(answer), answer.headers
        except urllib.error.HTTPError as error:
            if error.code == 410:
                raise PositionExpired from None
            if error.code != 429 and error.code < 500:
                raise SystemExit(error.read().decode()) from None
            seconds = int(error.headers.get("Retry-After", pause))
        except (OSError, http.client.HTTPException):
            seconds = pause
        print("waiting", seconds, "s", flush=True)
        time.sleep(seconds)
        pause = min(2 * pause, 60)


def next_of(headers):
    found = re.search(r'<([^>]*)>; rel="next"', headers.get("Link", ""))
    return found and found[1]


def apply(subject, version, state):
    """Stores a state, unless a newer one is there. What was deleted has no name."""
    row = (subject, version, state.get("name"), state.get("categoryId"), state.get("status"))
    database.execute(
        """INSERT INTO copy VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET version = excluded.version,
        name = excluded.name, category_id = excluded.category_id, status = excluded.status
        WHERE excluded.version > version""",
        row,
    )


def save(position):
    database.execute("DELETE FROM position")
    database.execute("INSERT INTO position VALUES (?)", (position,))


def copy_all():
    position, items = None, []
    for collection in ("pets", "categories"):
        url = f"{BASE}/{collection}?limit=100"
        while url:
            page, headers = get(url)
            position = position or int(headers["Petstore-Position"])
            items += [(f"{collection}/{item['id']}", item) for item in page]
            url = next_of(headers)
    with database:
        database.execute("DELETE FROM copy")
        for subject, item in items:
            apply(subject, 0, item)
        save(position)
    print("copied", len(items), flush=True)


database = sqlite3.connect(os.environ.get("MIRROR", "mirror.db"))
database.execute("CREATE TABLE IF NOT EXISTS position (id INTEGER)")
database.execute(
    """CREATE TABLE IF NOT EXISTS copy
    (subject TEXT PRIMARY KEY, version INTEGER, name TEXT, category_id INTEGER, status TEXT)"""
)
if not database.execute("SELECT 1 FROM position").fetchone():
    copy_all()
while True:
    (after,) = database.execute("SELECT id FROM position").fetchone()
    try:
        events, headers = get(f"{BASE}/events?types={TYPES}&limit=100&after={after}", "wait=30")
    except PositionExpired:
        copy_all()
        continue
    # The copy and its position are stored in one transaction.
    with database:
        for event in events:
            is_deleted = event["type"].endswith(".deleted")
            apply(event["subject"], event["version"], {} if is_deleted else event["data"])
            print(event["type"], event["subject"], event["version"], flush=True)
        save(int(re.search(r"[?&]after=(\d+)", next_of(headers))[1]))

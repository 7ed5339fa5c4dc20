import pytest
import requests

from pet_names import pet_names


def test_reads_every_page(session, store):
    names = pet_names(session, store["url"])
    assert len(names) >= 50
    assert names[0] == "Rex II"  # The seed gives the same pets each time.


def test_gives_up_when_the_requests_of_the_day_are_used_up(session, store):
    session.headers["Petstore-Simulate"] = "quota_exceeded"
    with pytest.raises(requests.HTTPError, match="429"):
        pet_names(session, store["url"])


def test_a_creation_whose_answer_is_lost_is_repeated_safely(session, store):
    def create(**headers: str) -> requests.Response:
        pet = {"name": "Milou the Third", "categoryId": 1}
        return session.post(f"{store['url']}/pets", json=pet, timeout=10, headers={"Idempotency-Key": "milou", **headers})

    with pytest.raises(requests.ConnectionError):
        create(**{"Petstore-Simulate": "lost-answer"})
    assert create().status_code == 201
    found = session.get(f"{store['url']}/pets", params={"name": "Milou the Third"}, timeout=10)
    assert len(found.json()) == 1

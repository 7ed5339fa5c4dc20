import requests


def pet_names(session: requests.Session, url: str) -> list[str]:
    """Returns the names of all pets: follows the pages."""
    names: list[str] = []
    page: str | None = f"{url}/pets"
    while page is not None:
        response = session.get(page, timeout=10)
        response.raise_for_status()
        names += [pet["name"] for pet in response.json()]
        page = response.links.get("next", {}).get("url")
    return names

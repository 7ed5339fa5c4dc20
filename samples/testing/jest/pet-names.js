/** Returns the names of all pets: follows the pages, and repeats a request as the service asks for. */
async function petNames(url, key) {
  const names = [];
  for (let page = `${url}/pets`; page !== undefined; ) {
    const response = await get(page, key);
    if (!response.ok) throw new Error((await response.json()).message);
    names.push(...(await response.json()).map(({ name }) => name));
    page = /<([^>]+)>; rel="next"/.exec(response.headers.get("Link") ?? "")?.[1];
  }
  return names;
}

/** Waits as long as Retry-After says, at most 5 seconds and twice. */
async function get(url, key, retries = 2) {
  const response = await fetch(url, { headers: { Authorization: `Bearer ${key}` } });
  const seconds = Number(response.headers.get("Retry-After"));
  if (retries === 0 || !response.headers.has("Retry-After") || seconds > 5) return response;
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  return get(url, key, retries - 1);
}

module.exports = { petNames };

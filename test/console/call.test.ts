import { expect, test } from "bun:test";
import { apiError, isInvalidRequest, sessionEvents, typeOf, withQuery } from "../../console/src/api/call.ts";

test.each([
  ["pets.csv", "text/csv"],
  ["PETS.CSV", "text/csv"],
  ["pets.tsv", "text/csv"],
  ["pets.txt", "text/csv"],
  ["petstore.db", "application/vnd.sqlite3"],
  ["pets.csv.ndjson", "application/x-ndjson"],
  ["pets", "application/x-ndjson"],
])("a file named %s is sent as %s", (name, type) => {
  expect(typeOf(new File([], name))).toBe(type);
});

test("an error has what the service says of it, and the status alone where a proxy answers in its place", () => {
  const details = [{ field: "name", problem: "is required" }];
  const text = JSON.stringify({ code: "invalid_body", message: "name is required.", details });
  expect({ ...apiError(400, text, "id-1"), message: apiError(400, text, "id-1").message }).toMatchObject({
    ...{ status: 400, code: "invalid_body", details, requestId: "id-1", message: "name is required." },
  });
  const ofProxy = apiError(502, "<h1>Bad gateway</h1>", null);
  expect({ ...ofProxy, message: ofProxy.message }).toMatchObject({
    ...{ status: 502, code: "", details: [], requestId: null, message: "The service returned status 502." },
  });
});

test("only a 401 ends the session, and only a 400 would fail again", () => {
  let ended = 0;
  const count = () => {
    ended += 1;
  };
  sessionEvents.addEventListener("ended", count);
  const found = [400, 401, 403, 404, 409, 412, 429, 500, 503].map((status) => {
    const before = ended;
    const error = apiError(status, "{}", null);
    return [status, ended > before, isInvalidRequest(error)];
  });
  sessionEvents.removeEventListener("ended", count);
  expect(found.filter(([, isEnd]) => isEnd).map(([status]) => status)).toEqual([401]);
  expect(found.filter(([, , isInvalid]) => isInvalid).map(([status]) => status)).toEqual([400]);
  expect(isInvalidRequest(new Error("The service cannot be reached."))).toBe(false);
});

test("a query has the parameters that have a value, also one that is 0 or false", () => {
  const given = { id: 0, isOn: false, name: "a b&c", none: null, missing: undefined, empty: "" };
  expect(withQuery("/pets", given)).toBe("/pets?id=0&isOn=false&name=a+b%26c");
  expect(withQuery("/pets", { name: "" })).toBe("/pets");
});

import { expect, test } from "bun:test";
import { RequestBuffer } from "../../src/adapters/history/buffer.ts";
import { requestOf } from "../adapters/history/requests.ts";
import { eventually } from "../support/eventually.ts";
import { states } from "../support/markdown.ts";
import { useKey, useService } from "../support/use-service.ts";
import { Workplace } from "./petstore.ts";

const service = useService({ now: Date.now() });
const { client, key } = useKey(service, { plan: "free" });
const petstore = new Workplace(service);

test("requests are listed and found, while the service runs", async () => {
  states("docs/commands.md", "`petstore requests list`, `show` | Searches the requests of the last hours");
  await client.get("/v1/pets/999", { "X-Request-Id": "missing-pet" });
  await client.get("/v1/pets", { "X-Request-Id": "a-list" });
  await service.anonymous().get("/v1/pets");
  const listed = async (...args: string[]) =>
    (await petstore.json("requests", "list", ...args)).map(({ requestId }: { requestId: string }) => requestId);
  await eventually(async () => (await listed()).length === 3);
  expect(await listed("--key", key.id)).toEqual(["a-list", "missing-pet"]);
  expect(await listed("--key", "TES")).toEqual(["a-list", "missing-pet"]);
  expect(await listed("--key", "nobody")).toEqual([]);
  expect(await listed("--status", "404,5xx")).toEqual(["missing-pet"]);
  expect(await listed("--error", "pet_not_found", "--operation", "getPet")).toEqual(["missing-pet"]);
  expect(await listed("--since", "2099-01-01")).toEqual([]);

  const { stdout } = await petstore.run(["requests", "list", "--key", key.id, "--limit", "1"]);
  const [head, row, detail, more = ""] = stdout.split("\n");
  expect(head).toMatch(/^TIME +STATUS +METHOD +PATH +KEY$/);
  expect(row).toMatch(new RegExp(`^\\d{4}-\\d\\d-\\d\\d [\\d:]{8}Z +200 +GET +/v1/pets +${key.id}$`));
  expect(detail).toBe("  a-list · test");
  const after = /--after (\S+),/.exec(more)?.[1] ?? "";
  expect(await listed("--key", key.id, "--after", after)).toEqual(["missing-pet"]);

  const note = "All errors and refusals are kept, and 0.5 % of the other requests.\n";
  const env = { PETSTORE_REQUEST_HISTORY_SHARE: "0.005" };
  for (const args of [[], ["--limit", "1"], ["--status", "500"]])
    expect((await petstore.run(["requests", "list", ...args], { env })).stdout).toEndWith(note);
  expect((await petstore.run(["requests", "list", "--json"], { env })).json).toHaveLength(3);
  expect(stdout).not.toContain(note);

  const shown = await petstore.run(["requests", "show", "missing-pet"]);
  expect(shown.stdout).toMatch(/\ncall +GET \/v1\/pets\/999\noperation +getPet\nkey +key_\w+ · test\n/);
  expect(shown.stdout).toMatch(/\nstatus +404 pet_not_found: There is no pet with this id.\nduration +[\d.]+ ms\n/);
  expect(shown.stdout).toMatch(/\nminute +59 of 60 left\nday +999 of 1,000 left\n$/);
});

test("--follow prints each request from now on once, as a line", async () => {
  states("docs/commands.md", "with `--follow` shows new ones as they come.");
  states("docs/monitoring.md", "`--follow` goes on with new requests as they come.");
  const client = await service.withKey();
  // As late as it can be and still precede the start of the commands.
  await service.setClock(Date.now());
  await client.get("/v1/pets", { "X-Request-Id": "earlier" });
  // The clock of the service stands still: from here on its requests are later than the start of the commands.
  await service.advance({ seconds: 600 });
  await eventually(async () => (await petstore.json("requests", "list", "--limit", "1"))[0]?.requestId === "earlier");
  await using all = petstore.follow<{ requestId: string; keyName: string }>("requests", "list");
  await using refused = petstore.follow<{ requestId: string }>("requests", "list", "--status", "4xx", "--key", "test");
  for (const one of [all, refused])
    await eventually(async () => {
      await client.get("/v1/pets/999");
      return one.lines.length > 0;
    });
  await client.get("/v1/pets", { "X-Request-Id": "now" });
  await client.get("/v1/pets/999", { "X-Request-Id": "now-missing" });
  for (const one of [all, refused])
    await eventually(() => one.lines.some(({ requestId }) => requestId === "now-missing"));
  const ids = all.lines.map(({ requestId }) => requestId);
  expect(ids).not.toContain("earlier");
  expect(ids.slice(-2)).toEqual(["now", "now-missing"]);
  expect(new Set(ids).size).toBe(ids.length);
  expect(all.lines[0]?.keyName).toBe("test");
  expect(refused.lines.map(({ requestId }) => requestId)).not.toContain("now");
});

test("--follow prints what a process writes as late as it may, 1 s after the request, and it looks for another second later", async () => {
  const history = new RequestBuffer(service.stores.requests, "0a1b2c3d");
  await using all = petstore.follow<{ requestId: string }>("requests", "list", "--status", "404");
  // Until one of them is later than the start of the command.
  await eventually(async () => {
    history.record(requestOf({ at: Date.now() - 2_000, status: 404, requestId: "late" }));
    await history.write();
    return all.lines.some(({ requestId }) => requestId === "late");
  });
});

test.each([
  [["list", "--follow", "--limit", "3"], 2, "option '--follow' cannot be used with option '--limit <number>'"],
  [["show", "never-sent"], 1, "No request with this id is in the request history."],
  [["show", "a b"], 2, "It must be 1 to 128 characters of A-Z, a-z, 0-9, '.', '_' and '-'."],
  [["list", "--status", "9xx"], 2, "It must be statuses such as 404, or classes such as 4xx, separated by commas."],
  [["list", "--error", "oops"], 2, "It must be one or more of invalid_json, "],
  [["list", "--after", "1"], 2, "It must be the id that the end of the page before shows."],
])("requests %j is refused", async (args, code, message) => {
  const result = await petstore.run(["requests", ...args]);
  expect(result.code).toBe(code);
  expect(result.stderr).toContain(message);
});

import { expect, test } from "bun:test";
import { eventually } from "../support/eventually.ts";
import { useKey, useService } from "../support/use-service.ts";
import { Workplace } from "./petstore.ts";

const service = useService({ now: Date.now() });
const { client, key } = useKey(service, { plan: "free" });
const petstore = new Workplace(service);

test("requests are listed and found, while the service runs", async () => {
  await client.get("/v1/pets/999", { "X-Request-Id": "missing-pet" });
  await client.get("/v1/pets", { "X-Request-Id": "a-list" });
  await service.anonymous().get("/v1/pets");
  const listed = async (...args: string[]) =>
    (await petstore.json("requests", "list", ...args)).map(({ requestId }: { requestId: string }) => requestId);
  await eventually(async () => (await listed()).length === 3);
  expect(await listed("--key", key.id)).toEqual(["a-list", "missing-pet"]);
  expect(await listed("--status", "404,5xx")).toEqual(["missing-pet"]);
  expect(await listed("--error", "pet_not_found", "--operation", "getPet")).toEqual(["missing-pet"]);
  expect(await listed("--since", "2099-01-01")).toEqual([]);

  const { stdout } = await petstore.run(["requests", "list", "--key", key.id, "--limit", "1"]);
  const [head, row, detail, more = ""] = stdout.split("\n");
  expect(head).toMatch(/^TIME +STATUS +METHOD +PATH +KEY$/);
  expect(row).toMatch(new RegExp(`^\\d{4}-\\d\\d-\\d\\d [\\d:]{8}Z +200 +GET +/v1/pets +${key.id}$`));
  expect(detail).toBe("  a-list");
  const after = /--after (\S+),/.exec(more)?.[1] ?? "";
  expect(await listed("--key", key.id, "--after", after)).toEqual(["missing-pet"]);

  const note = "All errors and refusals are kept, and 0.5 % of the other requests.\n";
  const env = { PETSTORE_REQUEST_HISTORY_SHARE: "0.005" };
  for (const args of [[], ["--limit", "1"], ["--status", "500"]])
    expect((await petstore.run(["requests", "list", ...args], { env })).stdout).toEndWith(note);
  expect((await petstore.run(["requests", "list", "--json"], { env })).json).toHaveLength(3);
  expect(stdout).not.toContain(note);

  const shown = await petstore.run(["requests", "show", "missing-pet"]);
  expect(shown.stdout).toMatch(/\ncall +GET \/v1\/pets\/999\noperation +getPet\nkey +key_\w+\n/);
  expect(shown.stdout).toMatch(/\nstatus +404 pet_not_found: There is no pet with this id.\nduration +[\d.]+ ms\n/);
  expect(shown.stdout).toMatch(/\nminute +59 of 60 left\nday +999 of 1,000 left\n$/);
});

test.each([
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

import { afterAll, beforeAll, expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { eventually } from "../support/eventually.ts";
import { states } from "../support/markdown.ts";
import { useKey, useService } from "../support/use-service.ts";
import { RECEIVERS_ALLOWED, WebhookReceiver } from "../support/webhook-receiver.ts";
import { Workplace } from "./petstore.ts";

const service = useService({ env: RECEIVERS_ALLOWED, now: Date.now() });
const { client } = useKey(service);
const petstore = new Workplace(service);
let receiver: WebhookReceiver;
beforeAll(async () => {
  receiver = await new WebhookReceiver().start();
});
afterAll(() => receiver[Symbol.asyncDispose]());

const DAY = 86_400_000;
const run = (...args: string[]) => petstore.run(["webhooks", ...args], { env: RECEIVERS_ALLOWED });

test("an endpoint is created, gets events of the running service, and is changed, disabled and removed", async () => {
  states("docs/commands.md", "Manages the endpoints that get events");
  states(
    "docs/webhooks.md",
    "see what became of an event | Look at the deliveries: the last 100 attempts, with status and duration.",
    "For a day, or as long as you say",
  );
  const { stdout } = await run("create", receiver.url, "--types", "pet.created", "--description", "The shop");
  const [secret = ""] = /whsec_\S+/.exec(stdout) ?? [];
  await client.post("/v1/pets", { name: "Rex", categoryId: 1 });
  await eventually(() => receiver.received.length === 1);
  const { text, headers } = receiver.received[0] ?? expect.unreachable();
  expect(new Webhook(secret).verify(text, headers)).toMatchObject({ type: "pet.created" });

  const [{ id }] = (await run("list", "--json")).json;
  expect((await run("list")).stdout).toMatch(/^ID +URL +TYPES +STATE +POSITION\n/);
  expect((await run("test", id)).stdout).toMatch(
    /^The receiver accepted the webhook\.test: status 200 after \d+ ms\.\n/,
  );
  receiver.answer = () => 503;
  expect((await run("test", id)).stdout).toMatch(
    /^The receiver did not accept the webhook\.test: status 503 after \d+ ms\.\n/,
  );
  receiver.answer = () => 200;
  const event = receiver.eventIds[0] ?? 0;
  expect((await run("redeliver", id, "--event", String(event), "--json")).json).toMatchObject({ status: 200 });
  await eventually(async () => (await run("deliveries", id, "--json")).json.length === 4);
  const { json: made } = await run("deliveries", id, "--json");
  const [head, ...rows] = (await run("deliveries", id)).stdout.trimEnd().split("\n");
  expect(head).toMatch(/^TIME +EVENT +TYPE +ATTEMPT +OUTCOME +MS$/);
  expect(rows.map((row) => row.split(/ {2,}/))).toEqual(
    made.map((one: { [field: string]: string | number | null }) => [
      ...[time(String(one.at)), String(one.eventId ?? "test"), one.type, String(one.attempt)],
      ...[one.error ?? `status ${one.status}`, String(one.milliseconds)],
    ]),
  );
  const kept = { url: receiver.url, types: ["pet.created"] };
  expect((await run("update", id, "--description", "The till", "--json")).json).toMatchObject({
    ...{ ...kept, description: "The till" },
  });
  expect((await run("update", id, "--types", "pet.created", "--json")).json).toMatchObject({ description: "The till" });
  expect((await run("update", id, "--all-types", "--json")).json).toMatchObject({ types: [], description: "The till" });
  expect((await run("show", id)).stdout).not.toContain("old secret");
  const rotated = (await run("rotate", id, "--grace", "1h", "--json")).json;
  expect(rotated.secret).toStartWith("whsec_");
  const until = rotated.webhook.oldSecretExpiresAt.replace("T", " ").replace(/\.\d+/, "");
  expect((await run("show", id)).stdout).toMatch(new RegExp(`^old secret +signs until ${until}$`, "m"));
  const [, afterAnHour = ""] =
    /The old secret signs, too, until (.+)\.\n/.exec((await run("rotate", id, "--grace", "1h")).stdout) ?? [];
  expect(Date.parse(afterAnHour)).toBeWithin(Date.now() + 3_000_000, Date.now() + 3_600_001);
  const before = Date.now();
  const [, byDefault = ""] = /The old secret signs, too, until (.+)\.\n/.exec((await run("rotate", id)).stdout) ?? [];
  expect(Date.parse(byDefault) - DAY).toBeWithin(before - 1_000, Date.now() + 1);
  expect((await run("rotate", id, "--grace", "0s")).stdout).toContain("The old secret signs no longer.");
  expect((await run("disable", id)).stdout).toContain("is disabled");
  const { stdout: shown } = await run("show", id);
  expect(shown).toContain("An operator disabled it.");
  expect(shown).not.toContain("whsec_");
  expect((await run("redeliver", id, "--after", "0", "--json")).json).toMatchObject({ state: "enabled" });
  expect((await run("delete", id)).stdout).toBe(`Removed endpoint ${id}.\n`);
});

test("every command on an endpoint that does not exist fails, and says so", async () => {
  const commands = ["show", "update", "rotate", "enable", "disable", "test", "redeliver", "deliveries", "delete"];
  const options: Record<string, string[]> = { update: ["--description", "The till"], redeliver: ["--after", "0"] };
  for (const name of commands) {
    const { code, stdout, stderr } = await run(name, "whe_none", ...(options[name] ?? []));
    expect([name, code, stdout, stderr]).toEqual([
      ...[name, 1, ""],
      expect.stringMatching(
        /^petstore: There is no webhook endpoint whe_none\. .*webhooks list` shows the endpoints\.\n$/,
      ),
    ]);
  }
});

test("the commands that change an endpoint print it as JSON as show does", async () => {
  const { id } = (await run("create", receiver.url, "--types", "alert.disk_full", "--json")).json.webhook;
  for (const words of [["disable"], ["enable"], ["update", "--description", "The till"]] as const) {
    const [name, ...options] = words;
    const { json: changed } = await run(name, id, ...options, "--json");
    expect([name, changed]).toEqual([name, (await run("show", id, "--json")).json]);
  }
  await run("delete", id);
});

/** A time as a text shows it. */
const time = (iso: string) => iso.replace("T", " ").replace(/\.\d+/, "");

test("an endpoint has types either of events or of alerts, as the help says", async () => {
  const { id, types } = (await run("create", receiver.url, "--types", "alert.disk_full", "--json")).json.webhook;
  expect(types).toEqual(["alert.disk_full"]);
  for (const words of [
    ["create", receiver.url],
    ["update", id],
  ]) {
    const { code, stderr } = await run(...words, "--types", "alert.disk_full,pet.created");
    expect([code, stderr]).toEqual([1, expect.stringContaining("types must be of events, or of alerts")]);
    const help = (await run(...words.slice(0, 1), "--help")).stdout.replaceAll(/\s+/g, " ");
    expect(help).toContain("--types <types> only these types, either of events or of alerts: ");
  }
  await run("delete", id);
});

test("the table and the details of endpoints have what JSON has", async () => {
  await using failing = await new WebhookReceiver().start();
  failing.answer = () => 500;
  const create = async (...args: string[]) => (await run("create", ...args, "--json")).json.webhook.id;
  await create(receiver.url);
  const id = await create(receiver.url, "--types", "pet.created,pet.updated", "--description", "The till");
  await run("rotate", id, "--grace", "1h");
  await run("disable", id);
  await create(failing.url, "--types", "category.created");
  await client.post("/v1/categories", { name: "Failing" });
  const listed = async () => (await run("list", "--json")).json;
  await eventually(async () => (await listed()).some(({ failures }: { failures: number }) => failures > 0));
  const [newest] = (await petstore.json("events", "list")).slice(-1);
  await eventually(async () => (await listed())[0].position === newest.id);

  const all = await listed();
  expect(all.map(({ state }: { state: string }) => state)).toEqual(["enabled", "disabled", "failing"]);
  const [head, ...rows] = (await run("list")).stdout.trimEnd().split("\n");
  expect(head?.split(/ {2,}/)).toEqual(["ID", "URL", "TYPES", "STATE", "POSITION"]);
  const cells = rows.map((row) => row.split(/ {2,}/).map((cell) => cell.replace(/…$/, "")));
  for (const [i, { id, url, types, state, position, ...details }] of all.entries()) {
    const shownTypes = types.join(", ") || "all";
    expect(cells[i]).toEqual([id, expect.anything(), shownTypes, state, String(position)]);
    expect(url).toStartWith(cells[i]?.[1] ?? "none");
    const { description, disabledAt, disabledReason, nextAttemptAt, failures, oldSecretExpiresAt, createdAt } = details;
    const lines = (await run("show", id)).stdout.trimEnd().split("\n");
    expect(lines.map((line) => line.split(/ {2,}/))).toEqual([
      ["id", id],
      ["URL", url],
      ["types", shownTypes],
      ...(description === "" ? [] : [["description", description]]),
      ["state", state],
      ...(disabledAt === null ? [] : [["disabled", `${time(disabledAt)}: ${disabledReason}`]]),
      ...(nextAttemptAt === null ? [] : [["next attempt", `${time(nextAttemptAt)}, after ${failures} failed`]]),
      ["position", String(position)],
      ...(oldSecretExpiresAt === null ? [] : [["old secret", `signs until ${time(oldSecretExpiresAt)}`]]),
      ["created", time(createdAt)],
    ]);
  }
});

test("alerts are listed with what to do, and acknowledged", async () => {
  states("docs/commands.md", "`petstore alerts list`, `acknowledge` | Lists what operators should look at.");
  const message = "The disk of the database has 1 MB free of 100 MB.";
  await service.stores.alerts().change([{ type: "alert.disk_full", subject: "disks/x", message }], [], service.now);
  const { stdout } = await petstore.run(["alerts", "list", "--state", "open"]);
  expect(stdout).toMatch(
    /^ID +RAISED +STATE +TYPE +SUBJECT\n1 +\S+ \S+ +open +alert\.disk_full +disks\/x\n {2}The disk/,
  );
  const acknowledged = await petstore.run(["alerts", "acknowledge", "1"]);
  expect(acknowledged.stdout).toMatch(/^The disk of the database has 1 MB free.*\nDelete what is not needed/);
  expect(await petstore.json("alerts", "list")).toMatchObject([{ id: 1, state: "acknowledged", message }]);
  const unknown = await petstore.run(["alerts", "acknowledge", "9"]);
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining("There is no alert 9")]);
});

test("the table of alerts has what JSON has, of all and of each state", async () => {
  const alerts = service.stores.alerts();
  const subjects = ["disks/open", "disks/seen", "disks/over"];
  const raised = subjects.map((subject) => ({ type: "alert.disk_full", subject, message: "It is full." }) as const);
  await alerts.change(raised, [], service.now);
  const idOf = async (subject: string) => (await alerts.open()).find((alert) => alert.subject === subject)?.id ?? 0;
  await petstore.run(["alerts", "acknowledge", String(await idOf("disks/seen"))]);
  await alerts.change([], [await idOf("disks/over")], service.now);

  const all: { subject: string; state: string }[] = await petstore.json("alerts", "list");
  expect(all).toMatchObject([
    { subject: "disks/over", state: "ended" },
    { subject: "disks/seen", state: "acknowledged" },
    { subject: "disks/open", state: "open" },
    { subject: "disks/x" },
  ]);
  for (const options of [[], ...["open", "acknowledged", "ended"].map((state) => ["--state", state])]) {
    const listed = await petstore.json("alerts", "list", ...options);
    expect(listed).toEqual(all.filter(({ state }) => options.length === 0 || options.includes(state)));
    const [head, ...lines] = (await petstore.run(["alerts", "list", ...options])).stdout.trimEnd().split("\n");
    expect(head?.split(/ {2,}/)).toEqual(["ID", "RAISED", "STATE", "TYPE", "SUBJECT"]);
    for (const [i, { id, raisedAt, state, type, subject, message, remedy }] of listed.entries()) {
      const [row = "", detail = ""] = lines.slice(2 * i);
      expect(row.split(/ {2,}/)).toEqual([String(id), time(raisedAt), state, type, subject]);
      expect(`  ${message} ${remedy}`).toStartWith(detail.replace(/…$/, ""));
      expect(detail).toHaveLength(Math.min(80, `  ${message} ${remedy}`.length));
    }
    expect(lines).toHaveLength(2 * listed.length);
  }
});

test.each([
  [["create", "example.com"], 2, /must be an absolute URL/],
  [["create", "https://10.0.0.1/"], 1, /10\.0\.0\.1, which is not public/],
  [["create", "https://example.com/", "--types", "pet.sold"], 2, /pet\.created/],
  [["redeliver", "whe_unknown"], 2, /either --event <id> or --after <id>/],
  [["redeliver", "whe_unknown", "--event", "1", "--after", "0"], 2, /either --event <id> or --after <id>/],
  [["show", "whe_unknown"], 1, /There is no webhook endpoint whe_unknown.*webhooks list/],
])("webhooks %j fails", async (args, code, message) => {
  const result = await run(...args);
  expect(result.code).toBe(code);
  expect(result.stderr).toMatch(message);
});

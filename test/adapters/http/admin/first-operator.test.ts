import { afterEach, beforeEach, expect, test } from "bun:test";
import { generateSecret } from "../../../../src/domain/keys/secret.ts";
import { OperatorAdministration } from "../../../../src/domain/operators.ts";
import { TESTER } from "../../../support/author.ts";
import { bearer, Client } from "../../../support/client.ts";
import { describes } from "../../../support/descriptions.ts";
import { states } from "../../../support/markdown.ts";
import { anonymous, browserWith } from "../../../support/operator.ts";
import { type RunningService, startService } from "../../../support/service.ts";

const PATH = "/admin/v1/operators/first";
const MINUTE = 60_000;

let service: RunningService;
beforeEach(async () => {
  service = await startService({ env: { PETSTORE_TRUSTED_PROXIES: "127.0.0.1" } });
});
afterEach(() => service.remove());

/** Creates the link as another process does. */
const invite = async () => {
  const link = await new OperatorAdministration(service.stores.operators, TESTER).createLink(service.now);
  if (link === undefined) throw new Error("there is an operator already");
  return link.secret;
};
const enter = (link: string, headers: Record<string, string> = {}, name = "Ada") =>
  anonymous(service).post(PATH, { link, name }, headers);
const expectRefusal = ({ status, body, headers }: Awaited<ReturnType<typeof enter>>) => {
  expect([status, body.code]).toEqual([401, "invalid_credentials"]);
  expect(headers.has("Set-Cookie")).toBe(false);
};

test("a link creates the first operator, an admin with a token and a session, and both are logged", async () => {
  describes(
    "createFirstOperator",
    "Creates the first operator, an admin, with the link that the first start of a store prints, and starts a session as signing in does.",
  );
  describes("createFirstOperator 201", "The operator, its token and its session.");
  states(
    "docs/administration.md",
    "`POST /admin/v1/operators/first` with `link`, `name` | 201, the first `operator` with its `token`, and a session",
    "sends it in the body of `POST /admin/v1/operators/first`.",
  );
  states("README.md", "a link that opens the console as its first admin:");
  const answer = await enter(await invite());
  expect(answer.status).toBe(201);
  const { operator, token, expiresAt } = answer.body;
  expect(operator).toMatchObject({ name: "Ada", role: "admin", revokedAt: null });
  expect(expiresAt).toBe(new Date(service.now + 12 * 60 * MINUTE).toISOString());
  const withToken = Client.ofOperator({ url: service.adminUrl, headers: bearer(token) });
  expect((await withToken.get("/admin/v1/operators")).body.operators).toEqual([operator]);
  const cookie = answer.headers.get("Set-Cookie") ?? "";
  expect(cookie).toMatch(/; Path=\/admin; HttpOnly; SameSite=Strict$/);
  const inBrowser = browserWith(service, cookie.split(";")[0] ?? "");
  expect((await inBrowser.get("/admin/v1/session")).body).toEqual({ operator, expiresAt, signOutUrl: null });
  const { entries } = (await withToken.get(`/admin/v1/audit?target=${operator.id}`)).body;
  expect(entries).toMatchObject([
    { action: "session.create", operator: { id: operator.id, name: "Ada" } },
    { action: "operator.create", operator: { name: "first sign-in link" }, after: { name: "Ada", role: "admin" } },
  ]);
});

test("of any number of uses of a link at once, one succeeds", async () => {
  const link = await invite();
  const answers = await Promise.all(Array.from({ length: 4 }, (_, i) => enter(link, {}, `Ada ${i}`)));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 401, 401, 401]);
  expect(await service.stores.operators.list()).toHaveLength(1);
});

test("a link works for 15 minutes, across a restart", async () => {
  states("docs/administration.md", "The link works once, for 15 minutes", "A restart within the 15 minutes keeps it.");
  const link = await invite();
  await service.setClock(service.now + 15 * MINUTE);
  expectRefusal(await enter(link));
  const another = await invite();
  await service.stop();
  await service.start({ now: service.now + 15 * MINUTE - 1 });
  expect((await enter(another)).status).toBe(201);
  expectRefusal(await enter(another));
});

test("a link ends with the first operator that is created otherwise, and there is no other one", async () => {
  states(
    "docs/administration.md",
    "No later start prints another link; create the operator with `petstore operators create` then.",
  );
  states(
    "docs/administration.md",
    "It ends when an operator is created in another way.",
    "or the first sign-in link no longer works.",
  );
  const link = await invite();
  await service.withOperator("viewer");
  expectRefusal(await enter(link));
  await expect(invite()).rejects.toThrow("there is an operator already");
});

test("nothing else that looks like a link is one", async () => {
  const link = await invite();
  for (const wrong of ["", "x", link.slice(0, -1), generateSecret("pets_link_"), generateSecret("pets_oper_")]) {
    expectRefusal(await enter(wrong));
  }
  expect((await enter(` ${link} `)).status).toBe(201);
});

test("a page of another site cannot use a link, and a wrong name does not use it up", async () => {
  states("docs/administration.md", "and requests from pages of other sites are refused.");
  const link = await invite();
  for (const headers of [{ "Sec-Fetch-Site": "cross-site" }, { Origin: "https://evil.example" }]) {
    const answer = await enter(link, headers);
    expect([answer.status, answer.body.code]).toEqual([403, "cross_site_request"]);
  }
  const answer = await enter(link, {}, " ");
  expect([answer.status, answer.body.code]).toEqual([400, "validation_failed"]);
  const withNumber = await anonymous(service).post(PATH, { link: 7, name: "Ada" });
  expect([withNumber.status, withNumber.body.details]).toEqual([
    400,
    [{ in: "body", field: "link", problem: "must be a string" }],
  ]);
  expect((await enter(link, { "Sec-Fetch-Site": "same-origin" })).status).toBe(201);
});

test("wrong links are limited by address as wrong tokens are, and leave no link in the log", async () => {
  states("docs/administration.md", "Wrong links count as failed attempts to sign in");
  const link = await invite();
  const wrong = `${link.slice(0, 14)}${"x".repeat(link.length - 14)}`;
  const from = (address: string) => ({ "X-Forwarded-For": address });
  for (let i = 0; i < 10; i++) expectRefusal(await enter(wrong, from("192.0.2.1")));
  const limited = await enter(link, from("192.0.2.1"));
  expect([limited.status, limited.body.code]).toEqual([429, "rate_limit_exceeded"]);
  const entries = await service.stores.audit.list({ limit: 99, action: ["session.fail"] });
  expect(entries).toHaveLength(10);
  expect(JSON.stringify(entries, (_, value) => (typeof value === "bigint" ? String(value) : value))).not.toContain(
    "pets_link_",
  );
  expect((await enter(link, from("192.0.2.2"))).status).toBe(201);
});

test("the public listener does not know links", async () => {
  states("docs/administration.md", "and only on this listener.");
  const body = JSON.stringify({ link: await invite(), name: "Ada" });
  const headers = { "Content-Type": "application/json" };
  const answer = await fetch(service.url + PATH, { method: "POST", headers, body });
  expect(answer.status).toBe(404);
  expect(await service.stores.operators.list()).toEqual([]);
});

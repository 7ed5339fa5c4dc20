import { describe, expect, test } from "bun:test";
import { generateSecret } from "../../../../src/domain/keys/secret.ts";
import { OperatorAdministration } from "../../../../src/domain/operators.ts";
import { TESTER } from "../../../support/author.ts";
import { Client } from "../../../support/client.ts";
import { describes } from "../../../support/descriptions.ts";
import { states } from "../../../support/markdown.ts";
import { anonymous, browserWith, signIn } from "../../../support/operator.ts";
import { startService } from "../../../support/service.ts";
import { useService } from "../../../support/use-service.ts";

const service = useService({ env: { PETSTORE_TRUSTED_PROXIES: "127.0.0.1" } });

/** Each test has its own address, because attempts to sign in are limited by address. */
let addresses = 0;
const newAddress = () => ({ "X-Forwarded-For": `192.0.2.${++addresses}` });
const who = "/admin/v1/session";

test("signing in sets a session cookie that scripts and other sites cannot use", async () => {
  describes("signIn", "Starts a session of 12 hours, kept in a cookie.", "Needs no credentials.");
  describes("getSession", "Returns the operator who is signed in, or whose token the request has.");
  describes("Session", "The signed-in operator.");
  describes("Session.expiresAt", "When the session ends;");
  describes("Session.signOutUrl", "null if there is no such page.");
  states("SECURITY.md", "190 random bits");
  states("docs/console.md", "A session lasts 12 hours");
  states("SECURITY.md", "Sessions in browsers | `HttpOnly`, `SameSite=Strict`, 12 hours.");
  states(
    "docs/administration.md",
    "The console sends the token once, to `POST /admin/v1/session`, and receives a session of 12 hours in a cookie:",
    "with `HttpOnly; SameSite=Strict; Path=/admin`",
    "`POST /admin/v1/session` with `token` | 201, the operator and the end of the session",
  );
  const { token, operator } = await service.withOperator("viewer");
  const { answer, browser } = await signIn(service, token, newAddress());
  expect(answer.status).toBe(201);
  expect(answer.headers.get("Set-Cookie")).toMatch(
    /^petstore_session_production=pets_sess_\w{39}; Max-Age=43200; Path=\/admin; HttpOnly; SameSite=Strict$/,
  );
  expect(answer.headers.get("Cache-Control")).toBe("no-store");
  const expiresAt = new Date(service.now + 12 * 3_600_000).toISOString();
  const its = { ...operator, provider: null, createdAt: expect.any(String), revokedAt: null };
  const signedIn = { operator: its, expiresAt, signOutUrl: null };
  expect(answer.body).toEqual(signedIn);
  expect((await browser.get(who)).body).toEqual(signedIn);
});

test("the cookie is Secure when a trusted proxy says that the client uses TLS", async () => {
  states("docs/administration.md", "and `Secure` if a trusted proxy says that the browser used TLS.");
  const { token } = await service.withOperator();
  const { answer } = await signIn(service, token, { ...newAddress(), "X-Forwarded-Proto": "https" });
  expect(answer.headers.get("Set-Cookie")).toEndWith("; SameSite=Strict; Secure");
  await using other = await startService();
  const { token: its } = await other.withOperator();
  const { answer: plain } = await signIn(other, its, { "X-Forwarded-Proto": "https" });
  expect(plain.headers.get("Set-Cookie")).not.toContain("Secure");
});

test("an unknown token does not sign in", async () => {
  states("docs/administration.md", "The token does not exist");
  const { secret } = await service.createKey();
  for (const token of [
    generateSecret("pets_oper_"),
    generateSecret("pets_sess_"),
    secret,
    "",
    " ",
    "x".repeat(60_000),
    "pets_oper_",
  ]) {
    const { answer } = await signIn(service, token, newAddress());
    expect(answer.status).toBe(401);
    expect(answer.body.code).toBe("invalid_credentials");
    expect(answer.headers.get("Set-Cookie")).toBeNull();
  }
});

test.each([["{}"], ['{"token":1}'], ["[]"], ["null"]])("signing in with %s is 400", async (body) => {
  const answer = await anonymous(service).post(who, body, newAddress());
  expect([answer.status, answer.body.code]).toEqual([400, "validation_failed"]);
});

test("a session cannot be forged with another secret or a part of one", async () => {
  const { token } = await service.withOperator();
  const { cookie } = await signIn(service, token, newAddress());
  const changed = (at: number) => cookie.slice(0, at) + (cookie[at] === "x" ? "y" : "x") + cookie.slice(at + 1);
  const forged = [
    `petstore_session_production=${generateSecret("pets_sess_")}`,
    `petstore_session_production=${token}`,
    "petstore_session_production=",
    "petstore_session_production",
    cookie.slice(0, -1),
    `${cookie}x`,
    ...Array.from({ length: 20 }, (_, i) => changed(cookie.length - 1 - 2 * i)),
    `other=1; petstore_session_production=x; ${cookie}`,
  ];
  for (const one of forged) {
    const answer = await browserWith(service, one).get("/admin/v1/keys", newAddress());
    expect(answer.status).toBe(401);
    if (answer.body.code === "invalid_credentials") expect(answer.headers.get("Set-Cookie")).toContain("Max-Age=0");
  }
  expect((await browserWith(service, `a=b; ${cookie}; c`).get(who)).status).toBe(200);
});

test("without valid credentials every path is 401, whether it exists or not", async () => {
  states(
    "docs/administration.md",
    "Without credentials, every other path under `/admin/v1` returns the same response.",
  );
  const wrong = [{}, { Authorization: `Bearer ${generateSecret("pets_oper_")}` }, { Authorization: "Basic eDp5" }];
  for (const path of ["/admin/v1", "/admin/v1/keys", "/admin/v1/nothing", "/admin/v1/operators", "/admin/v1/state"]) {
    for (const headers of wrong) {
      const answer = await anonymous(service).get(path, { ...headers, ...newAddress() });
      expect(answer.status).toBe(401);
      expect(answer.headers.get("WWW-Authenticate")).toBe('Bearer realm="petstore administration"');
    }
  }
  const client = await service.withKey();
  const withKey = Client.ofOperator({ url: service.adminUrl, headers: {} });
  expect((await withKey.get("/admin/v1/keys", { Authorization: "Bearer x", ...newAddress() })).status).toBe(401);
  expect((await client.get("/v1/pets")).status).toBe(200);
});

describe("a session ends", () => {
  test("on signing out, and other sessions stay", async () => {
    const { token } = await service.withOperator();
    const [one, other] = [await signIn(service, token, newAddress()), await signIn(service, token, newAddress())];
    const out = await one.browser.request(who, { method: "DELETE" });
    expect(out.status).toBe(204);
    expect(out.headers.get("Set-Cookie")).toStartWith("petstore_session_production=; Max-Age=0; Path=/admin;");
    expect((await one.browser.get(who)).body.code).toBe("invalid_credentials");
    expect((await other.browser.get(who)).status).toBe(200);
  });

  test("by the next request after its operator is revoked", async () => {
    states(
      "docs/administration.md",
      "Revoking an operator ends its token and sessions with the next request.",
      "The token does not exist, its operator was revoked",
    );
    const { token, operator, client } = await service.withOperator();
    const { browser } = await signIn(service, token, newAddress());
    expect((await browser.get(who)).status).toBe(200);
    await new OperatorAdministration(service.stores.operators, TESTER).revoke(operator.id, service.now);
    expect((await browser.get(who)).status).toBe(401);
    expect((await client.get(who)).body.code).toBe("invalid_credentials");
    expect((await signIn(service, token, newAddress())).answer.status).toBe(401);
  });

  test("after 12 hours, whether used or not; a restart does not end it", async () => {
    states("docs/administration.md", "Sessions survive a restart", "the session has ended");
    const { token } = await service.withOperator();
    const { browser, cookie } = await signIn(service, token, newAddress());
    await service.advance({ seconds: 12 * 3_600 - 1 });
    expect((await browser.get(who)).status).toBe(200);
    await service.kill();
    await service.start();
    const again = browserWith(service, cookie);
    expect((await again.get(who)).status).toBe(200);
    await service.advance({ seconds: 1 });
    expect((await again.get(who)).body.code).toBe("invalid_credentials");
  });
});

describe("a request from a page of another site", () => {
  const change = { name: "x", plan: "free" };
  const headersOf = (site: Record<string, string>) => ({ "Content-Type": "application/json", ...site });

  test.each([
    ["says nothing of where it comes from", {}],
    ["comes from another site", { "Sec-Fetch-Site": "cross-site" }],
    ["comes from another host of the same site", { "Sec-Fetch-Site": "same-site" }],
    ["was typed in", { "Sec-Fetch-Site": "none" }],
    ["has another origin", { Origin: "https://evil.example" }],
    ["has an opaque origin", { Origin: "null" }],
  ])("changes nothing when it %s", async (_, site: Record<string, string>) => {
    states(
      "docs/administration.md",
      "or its own `Origin`. Any other is refused.",
      "A browser sent the request for a page of another site, or did not say for which.",
    );
    const { token } = await service.withOperator();
    const { cookie } = await signIn(service, token, newAddress());
    const evil = Client.ofOperator({ url: service.adminUrl, headers: { Cookie: cookie } });
    const answer = await evil.post("/admin/v1/keys", change, headersOf(site));
    expect([answer.status, answer.body.code]).toEqual([403, "cross_site_request"]);
    const out = await evil.request(who, { method: "DELETE", headers: site });
    expect(out.status).toBe(403);
    expect((await evil.get(who)).status).toBe(200);
  });

  test("succeeds if the page is the service's own, by either header", async () => {
    states("SECURITY.md", "Changes must come from the listener's own pages (`Sec-Fetch-Site`, `Origin`).");
    states(
      "docs/administration.md",
      "A request with the cookie that changes something must come from a page of this listener: with `Sec-Fetch-Site: same-origin`, or its own `Origin`.",
      "In scripts, send a token instead of the cookie.",
    );
    const { token, client } = await service.withOperator();
    expect((await client.post("/admin/v1/keys", change)).status).toBe(201);
    const { cookie } = await signIn(service, token, newAddress());
    const own = Client.ofOperator({ url: service.adminUrl, headers: { Cookie: cookie } });
    for (const site of [{ "Sec-Fetch-Site": "same-origin" }, { Origin: service.adminUrl }]) {
      expect((await own.post("/admin/v1/keys", change, headersOf(site as Record<string, string>))).status).toBe(201);
    }
    const behindTls = { Origin: service.adminUrl.replace("http:", "https:"), "X-Forwarded-Proto": "https" };
    expect((await own.post("/admin/v1/keys", change, headersOf(behindTls))).status).toBe(201);
  });

  test("does not sign in", async () => {
    const { token } = await service.withOperator();
    const { answer } = await signIn(service, token, { ...newAddress(), "Sec-Fetch-Site": "cross-site" });
    expect([answer.status, answer.body.code]).toEqual([403, "cross_site_request"]);
    expect(answer.headers.get("Set-Cookie")).toBeNull();
  });
});

/** Other beginnings of tokens: failures count by address and beginning. */
const otherToken = () => generateSecret("pets_oper_");
const sameBeginning = (token: string) => `${token.slice(0, 14)}${otherToken().slice(14)}`;

describe("failed attempts to sign in", () => {
  test("are limited to ten per minute, address and beginning of the token; Retry-After shows when to retry", async () => {
    states("SECURITY.md", "Failed attempts to sign in are limited by address");
    states(
      "docs/administration.md",
      "Attempts to sign in may fail 10 times per minute, counted by address and by the first characters of the token.",
    );
    const { token } = await service.withOperator();
    const [one, other] = [newAddress(), newAddress()];
    for (let i = 0; i < 10; i++) expect((await signIn(service, sameBeginning(token), one)).answer.status).toBe(401);
    const { answer: refused } = await signIn(service, token, one);
    expect([refused.status, refused.body.code]).toEqual([429, "rate_limit_exceeded"]);
    expect((await signIn(service, token, other)).answer.status).toBe(201);
    expect((await signIn(service, (await service.withOperator()).token, one)).answer.status).toBe(201);
    await service.advance({ seconds: Number(refused.headers.get("Retry-After")) });
    expect((await signIn(service, token, one)).answer.status).toBe(201);
  });

  test("are limited as exactly when they are sent at once", async () => {
    const { token } = await service.withOperator();
    const address = newAddress();
    const attempts = Array.from({ length: 30 }, () => signIn(service, sameBeginning(token), address));
    const statuses = (await Promise.all(attempts)).map(({ answer }) => answer.status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(20);
  });

  test("are all that counts: an operator signs in as often as they like", async () => {
    states("docs/administration.md", "Attempts that succeed do not count");
    const { token } = await service.withOperator();
    const address = newAddress();
    for (let i = 0; i < 25; i++) expect((await signIn(service, token, address)).answer.status).toBe(201);
  });

  test("by pages of other sites lock nobody out", async () => {
    states("docs/administration.md", "nor do requests from pages of other sites.");
    const { token } = await service.withOperator();
    const address = newAddress();
    for (const site of [{ "Sec-Fetch-Site": "cross-site" }, { Origin: "https://evil.example" }]) {
      for (let i = 0; i < 12; i++) {
        const { answer } = await signIn(service, sameBeginning(token), { ...address, ...site });
        expect(answer.status).toBe(403);
      }
    }
    expect((await signIn(service, token, address)).answer.status).toBe(201);
  });

  test("are not those that the service could not check", async () => {
    await using other = await startService({ store: "sqlite" });
    const { token } = await other.withOperator();
    await using store = await other.store.connect();
    await store.run("ALTER TABLE operators RENAME TO operators_away");
    for (let i = 0; i < 12; i++) expect((await signIn(other, token)).answer.status).toBe(503);
    await store.run("ALTER TABLE operators_away RENAME TO operators");
    expect((await signIn(other, token)).answer.status).toBe(201);
  });

  test("do not affect operators who are signed in or send a token", async () => {
    const { token, client } = await service.withOperator();
    const address = newAddress();
    const { browser } = await signIn(service, token, address);
    for (let i = 0; i < 12; i++) await signIn(service, sameBeginning(token), address);
    expect((await browser.get(who, address)).status).toBe(200);
    expect((await client.get(who, address)).body.expiresAt).toBeNull();
  });

  test("are in the audit log with their address, without the token, and at most ten per minute", async () => {
    states("SECURITY.md", "Failed attempts to sign in are limited by address, and logged.");
    states(
      "docs/administration.md",
      "`unknown` for a failed attempt to sign in.",
      "Failed attempts to sign in are logged as `session.fail` with their address, at most 10 per minute",
    );
    await service.advance({ seconds: 60 });
    const { client } = await service.withOperator();
    const failures = async () => {
      const { body, text } = await client.get("/admin/v1/audit?limit=200");
      const entries = body.entries.filter(({ action }: { action: string }) => action === "session.fail");
      return { entries, text };
    };
    const before = (await failures()).entries.length;
    const address = newAddress();
    const token = otherToken();
    await signIn(service, token, address);
    const { entries, text } = await failures();
    expect(entries).toHaveLength(before + 1);
    expect(entries[0]).toMatchObject({
      operator: { name: "unknown" },
      target: null,
      after: { address: address["X-Forwarded-For"] },
    });
    expect(text).not.toContain(token.slice(0, 20));
    for (let i = 0; i < 40; i++) await signIn(service, otherToken(), newAddress());
    expect((await failures()).entries).toHaveLength(before + 10);
  });
});

test("wrong credentials are limited by address, on every path together; valid ones are not", async () => {
  states(
    "docs/administration.md",
    "Requests with wrong credentials, and failed attempts to sign in, count for the limit of `PETSTORE_ADDRESS_LIMIT`. Each node counts for itself.",
  );
  states(
    "docs/administration.md",
    "Requests with wrong credentials, and failed attempts to sign in, count for the limit of `PETSTORE_ADDRESS_LIMIT`.",
    "Too many failed attempts to sign in, or requests with wrong credentials, from this address.",
  );
  await using other = await startService({ env: { PETSTORE_ADDRESS_LIMIT: "6" } });
  const { token, client } = await other.withOperator();
  const { browser } = await signIn(other, token);
  const wrong = { Authorization: `Bearer ${otherToken()}` };
  for (let i = 0; i < 3; i++) expect((await anonymous(other).get("/admin/v1/keys", wrong)).status).toBe(401);
  expect((await anonymous(other).get("/admin/v1/nothing")).status).toBe(401);
  expect((await browserWith(other, `petstore_session_production=${otherToken()}`).get(who)).status).toBe(401);
  expect((await signIn(other, otherToken())).answer.status).toBe(401);
  for (const refused of [await anonymous(other).get("/admin/v1/keys", wrong), (await signIn(other, "x")).answer]) {
    expect([refused.status, refused.body.code]).toEqual([429, "rate_limit_exceeded"]);
    expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(0);
  }
  expect((await client.get(who)).status).toBe(200);
  expect((await browser.get(who)).status).toBe(200);
  await other.advance({ seconds: 60 });
  expect((await anonymous(other).get("/admin/v1/keys", wrong)).status).toBe(401);
});

test("a browser keeps the sessions of both deployments of one machine", async () => {
  states("docs/administration.md", "The cookie is `petstore_session_production` or `petstore_session_staging`");
  await using staging = await startService({ env: { PETSTORE_DEPLOYMENT: "staging" } });
  const [here, there] = [await service.withOperator(), await staging.withOperator()];
  const cookies = [
    (await signIn(service, here.token, newAddress())).cookie,
    (await signIn(staging, there.token)).cookie,
  ];
  expect(new Set(cookies.map((cookie) => cookie.split("=")[0])).size).toBe(2);
  const both = cookies.join("; ");
  expect((await browserWith(service, both).get(who)).body.operator.id).toBe(here.operator.id);
  const browser = browserWith(staging, both);
  expect((await browser.get(who)).body.operator.id).toBe(there.operator.id);
  const out = await browser.request(who, { method: "DELETE" });
  expect(out.headers.get("Set-Cookie")).toStartWith("petstore_session_staging=;");
  expect((await browserWith(service, both).get(who)).status).toBe(200);
});

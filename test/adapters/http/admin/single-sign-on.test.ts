import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { OperatorAdministration } from "../../../../src/domain/operators.ts";
import { TESTER } from "../../../support/author.ts";
import { Client } from "../../../support/client.ts";
import { describes } from "../../../support/descriptions.ts";
import { eventually } from "../../../support/eventually.ts";
import { states } from "../../../support/markdown.ts";
import { hasOpenIdProvider, OpenIdProvider, targetOf, Visitor } from "../../../support/openid-provider.ts";
import { anonymous } from "../../../support/operator.ts";
import { sendRaw } from "../../../support/raw-socket.ts";
import { RunningService, startService } from "../../../support/service.ts";

const BEGIN = "/admin/v1/session/oidc";
const COOKIE = "petstore_oidc_production";

let people = 0;
/** Another person for each test. */
const person = (more: object = {}) => {
  const sub = `person-${++people}`;
  return { sub, email: `${sub}@example.com`, email_verified: true, roles: ["petstore-admin"], ...more };
};

const problemOf = (response: Response) => /^\/console#\/sign-in\/(\w+)$/.exec(targetOf(response))?.[1];

test("without a provider there is no single sign-on", async () => {
  states("SECURITY.md", "Single sign-on | Off until you name a provider.");
  states("docs/administration.md", "It is off until you set:");
  await using service = await startService();
  for (const path of [BEGIN, `${BEGIN}/callback?code=x&state=y`]) {
    const answer = await anonymous(service).get(path);
    expect([answer.status, answer.body.code]).toEqual([404, "not_found"]);
    expect(answer.headers.has("Set-Cookie")).toBe(false);
  }
  expect((await anonymous(service).get("/console")).text).not.toContain("single-sign-on");
});

describe.skipIf(!hasOpenIdProvider)("at an OpenID provider", () => {
  let provider: OpenIdProvider;
  let service: RunningService;
  /** Codes, states, verifiers and tokens that went through the hands of browsers. */
  const secrets = new Set(["the secret of the client"]);

  beforeAll(async () => {
    provider = await OpenIdProvider.start();
    service = new RunningService({ env: { ...provider.env, PETSTORE_TRUSTED_PROXIES: "127.0.0.1" } });
    await service.start();
  });
  afterAll(async () => {
    await service?.remove();
    await provider?.stop();
  });

  const toCallback = async (visitor: Visitor, who: object | undefined, at = service) => {
    const callback = await visitor.toCallback(at.adminUrl, who);
    remember(visitor, callback);
    return callback;
  };
  const remember = (visitor: Visitor, callback: string) => {
    secrets.add(new URL(callback).searchParams.get("code") ?? "the secret of the client");
    const cookie = visitor.cookies.find(({ name }) => name === COOKIE);
    for (const secret of cookie?.value.split(".").slice(1) ?? []) secrets.add(secret);
  };
  const signIn = async (who: object | undefined, visitor = new Visitor()) => {
    const answer = await visitor.open(await toCallback(visitor, who), undefined, from());
    return { answer, visitor };
  };
  const sessionOf = async (visitor: Visitor, at = service) =>
    (await visitor.open(`${at.adminUrl}/admin/v1/session`)).json();
  const auditOf = async (query: string) => {
    const { client } = await service.withOperator();
    return (await client.get(`/admin/v1/audit?limit=200&${query}`)).body.entries;
  };
  const expectProblem = (response: Response, problem: string) => {
    expect([response.status, problemOf(response)]).toEqual([303, problem]);
    const cookies = response.headers.getSetCookie();
    expect(cookies.filter((cookie) => !cookie.includes("Max-Age=0"))).toEqual([]);
  };
  const isLogged = (...parts: string[]) => service.output.some((line) => parts.every((part) => line.includes(part)));
  /** Failures count by address: each test has its own. */
  let addresses = 0;
  let address = "";
  const from = () => ({ "X-Forwarded-For": address });
  const newAddress = () => {
    address = `198.51.100.${++addresses}`;
  };

  test("a person signs in as an operator with the role of the claim and the e-mail as name", async () => {
    states(
      "docs/administration.md",
      "People can often choose these themselves: the audit log has the id of the operator beside it.",
      "Operators can sign in to the console at an OpenID provider",
    );
    describes(
      "Session.signOutUrl",
      "Where a browser goes after it has signed out here, to sign out at the OpenID provider too;",
    );
    describes("Operator.provider", "The issuer of the OpenID provider that signs the operator in");
    states("SECURITY.md", "Authorization code flow with PKCE, state and nonce");
    states(
      "docs/administration.md",
      "The first sign-in of a person creates an operator",
      "The sign-in is the authorization code flow with PKCE, state and nonce, which stay for 10 minutes in a cookie of the browser with `HttpOnly; SameSite=Lax`",
      "`GET`, `DELETE /admin/v1/session` | the operator who is signed in, and in `signOutUrl` where the provider signs out;",
      "303, to the console, signed in or with a code",
    );
    newAddress();
    const visitor = new Visitor();
    const begun = await visitor.open(`${service.adminUrl}${BEGIN}`);
    expect([begun.status, begun.headers.get("Cache-Control")]).toEqual([302, "no-store"]);
    expect(begun.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^petstore_oidc_production=\d+(\.[\w-]{43}){3}; Max-Age=600; Path=\/admin\/v1\/session\/oidc; HttpOnly; SameSite=Lax$/,
      ),
    ]);
    const asked = new URL(targetOf(begun));
    expect(Object.fromEntries(asked.searchParams)).toMatchObject({
      client_id: "petstore",
      response_type: "code",
      scope: "openid email profile",
      code_challenge_method: "S256",
      redirect_uri: `${service.adminUrl}${BEGIN}/callback`,
    });
    expect(asked.href).not.toContain(visitor.cookies[0]?.value.split(".")[3] ?? "");
    const [admin, viewer] = [person(), person({ roles: "petstore-viewer", email_verified: false, name: "Vera" })];
    const callback = await visitor.atProvider(asked.href, admin);
    remember(visitor, callback);
    const done = await visitor.open(callback, undefined, {
      "Sec-Fetch-Site": "cross-site",
      "Sec-Fetch-Mode": "navigate",
    });
    expect([done.status, targetOf(done), await done.text()]).toEqual([303, "/", ""]);
    expect(done.headers.getSetCookie().toSorted()).toEqual([
      `${COOKIE}=; Max-Age=0; Path=${BEGIN}; HttpOnly; SameSite=Lax`,
      expect.stringMatching(
        /^petstore_session_production=pets_sess_\w{39}; Max-Age=43200; Path=\/admin; HttpOnly; SameSite=Strict$/,
      ),
    ]);
    const { operator, ...session } = await sessionOf(visitor);
    expect(operator).toMatchObject({ name: admin.email, role: "admin", provider: provider.issuer, revokedAt: null });
    expect(session).toEqual({
      expiresAt: new Date(service.now + 12 * 3_600_000).toISOString(),
      signOutUrl: `${provider.issuer}/session/end?post_logout_redirect_uri=${encodeURIComponent(`${service.adminUrl}/console`)}&client_id=petstore`,
    });
    expect(await auditOf(`target=${operator.id}`)).toMatchObject([
      { action: "session.create", operator: { id: operator.id, name: admin.email } },
      {
        action: "operator.create",
        operator: { name: "single sign-on" },
        after: { name: admin.email, role: "admin", provider: provider.issuer },
      },
    ]);
    const { visitor: other } = await signIn(viewer);
    expect((await sessionOf(other)).operator).toMatchObject({ name: "Vera", role: "viewer" });
    expect((await other.open(`${service.adminUrl}/admin/v1/operators`)).status).toBe(403);
    const listed = await (await visitor.open(`${service.adminUrl}/admin/v1/operators`)).json();
    expect(listed.operators).toContainEqual(operator);
    const out = await Client.ofOperator({
      url: service.adminUrl,
      headers: {
        Cookie: visitor.cookies.map(({ name, value }) => `${name}=${value}`).join("; "),
        "Sec-Fetch-Site": "same-origin",
      },
    }).request("/admin/v1/session", { method: "DELETE" });
    expect(out.status).toBe(204);
    expect((await visitor.open(`${service.adminUrl}/admin/v1/session`)).status).toBe(401);
    const end = await visitor.open(session.signOutUrl);
    expect(end.status).toBe(200);
  });

  test("each sign-in brings name and role up to date, and the log says so", async () => {
    states(
      "docs/administration.md",
      "What a sign-in there changes of its operator is `operator.create` or `operator.update`.",
      "each one updates its name and role.",
      "A change of the role in the provider takes effect with the next sign-in",
    );
    newAddress();
    const who = person();
    const first = await sessionOf((await signIn(who)).visitor);
    await signIn(who);
    const moved = { ...who, email: `moved-${who.email}`, roles: ["x", "petstore-viewer"] };
    const last = await sessionOf((await signIn(moved)).visitor);
    expect(last.operator).toEqual({ ...first.operator, name: moved.email, role: "viewer" });
    const entries = await auditOf(`target=${first.operator.id}`);
    expect(entries.map(({ action }: { action: string }) => action)).toEqual([
      "session.create",
      "operator.update",
      "session.create",
      "session.create",
      "operator.create",
    ]);
    expect(entries[1]).toMatchObject({ before: { role: "admin" }, after: { role: "viewer", name: moved.email } });
  });

  test("a person without a role, or whose access was revoked, does not sign in", async () => {
    states(
      "docs/administration.md",
      "at the latest after the 12 hours of a session: to end access at once, revoke the operator.",
    );
    states(
      "docs/administration.md",
      "`no_role` | The claim has none of the values.",
      "`operator_revoked` | The operator was revoked.",
      "Who signs in without a role is signed out everywhere.",
      "A revoked operator stays revoked, with any role that the provider gives.",
      "`no_role` | The claim has none of the values. The log has the name, and whether there is such a claim.",
      "`operator_revoked` | The operator was revoked. The log has the name.",
      "those at the provider with their code.",
    );
    newAddress();
    const none = person({ roles: ["other"] });
    expectProblem((await signIn(none)).answer, "no_role");
    expectProblem((await signIn(person({ roles: undefined }))).answer, "no_role");
    const operators = await service.stores.operators.list();
    expect(operators.map(({ name }) => name)).not.toContain(none.email);
    const [reduced, other] = [person(), person()];
    const [{ visitor: here }, { visitor: elsewhere }] = [await signIn(reduced), await signIn(other)];
    expectProblem((await signIn({ ...reduced, roles: [] })).answer, "no_role");
    expect((await here.open(`${service.adminUrl}/admin/v1/session`)).status).toBe(401);
    expect((await elsewhere.open(`${service.adminUrl}/admin/v1/session`)).status).toBe(200);
    await eventually(() => isLogged(`${none.email} has `, "in the claim roles"));
    const revoked = person();
    const { operator } = await sessionOf((await signIn(revoked)).visitor);
    await new OperatorAdministration(service.stores.operators, TESTER).revoke(operator.id, service.now);
    // Of one second the log has the first failure.
    await service.advance({ seconds: 1 });
    const { answer, visitor } = await signIn({ ...revoked, roles: ["petstore-viewer"] });
    expectProblem(answer, "operator_revoked");
    await eventually(() => isLogged(`${revoked.email} was revoked`));
    expect((await visitor.open(`${service.adminUrl}/admin/v1/session`)).status).toBe(401);
    expect((await service.stores.operators.get(operator.id))?.role).toBe("admin");
    const failures = await auditOf("action=session.fail");
    expect(failures.slice(0, 4).map(({ after }: { after: object }) => after)).toEqual(
      ["operator_revoked", "no_role", "no_role", "no_role"].map((reason) => ({ address, reason })),
    );
  });

  test("a cancelled sign-in is explained without the provider's words", async () => {
    states("docs/administration.md", "`sign_in_refused` | The provider did not sign the person in.");
    newAddress();
    const { answer } = await signIn(undefined);
    expectProblem(answer, "sign_in_refused");
  });

  describe("a return is refused before anybody is asked", () => {
    const change = async (how: (visitor: Visitor, callback: string) => string | Promise<string>) => {
      const visitor = new Visitor();
      const callback = await toCallback(visitor, person());
      return visitor.open(await how(visitor, callback), undefined, from());
    };
    const withCookie = (how: (parts: string[]) => string[]) => (visitor: Visitor, callback: string) => {
      for (const cookie of visitor.cookies)
        if (cookie.name === COOKIE) cookie.value = how(cookie.value.split(".")).join(".");
      return callback;
    };
    const withParameter = (name: string, value: string) => (_: Visitor, callback: string) => {
      const url = new URL(callback);
      url.searchParams.set(name, value);
      return url.href;
    };

    test.each([
      ["with another state", withParameter("state", "x".repeat(43))],
      ["with no state", withParameter("state", "")],
      ["without a cookie", withCookie(() => ["", ""])],
      ["with a cookie of nothing", withCookie(() => [])],
      ["with a part of a cookie", withCookie((parts) => parts.slice(0, 3))],
      ["with an older cookie", withCookie(([at, ...parts]) => [String(Number(at) - 600_000), ...parts])],
      ["with a cookie of no time", withCookie(([_, ...parts]) => ["x", ...parts])],
      [
        "with the cookie of another browser",
        async (visitor: Visitor, callback: string) => {
          visitor.cookies.splice(0);
          await visitor.open(`${service.adminUrl}${BEGIN}`);
          return callback;
        },
      ],
    ])("%s, any number of times", async (_, how) => {
      states("SECURITY.md", "A return without the cookie of the browser that began it is refused.");
      states("docs/administration.md", "`sign_in_expired` | It took too long, or another tab or browser has begun it.");
      newAddress();
      expectProblem(await change(how), "sign_in_expired");
    });

    test("and ends no sign-in of another tab", async () => {
      newAddress();
      const visitor = new Visitor();
      const callback = await toCallback(visitor, person());
      expectProblem(
        await visitor.open(`${service.adminUrl}${BEGIN}/callback?code=x&state=y`, undefined, from()),
        "sign_in_expired",
      );
      expect(targetOf(await visitor.open(callback, undefined, from()))).toBe("/");
    });

    test("and counts for no limit", async () => {
      states("docs/administration.md", "and returns that this browser did not begin, do not count.");
      newAddress();
      for (let i = 0; i < 12; i++) {
        expectProblem(
          await new Visitor().open(`${service.adminUrl}${BEGIN}/callback?code=x&state=y`, undefined, from()),
          "sign_in_expired",
        );
      }
      expect(targetOf((await signIn(person())).answer)).toBe("/");
    });
  });

  test("a code works once, and only with the verifier and the nonce of its browser", async () => {
    states(
      "docs/administration.md",
      "which stay for 10 minutes in a cookie of the browser with `HttpOnly; SameSite=Lax`: any node can finish it.",
    );
    newAddress();
    const visitor = new Visitor();
    const callback = await toCallback(visitor, person());
    const kept = visitor.cookies.filter(({ name }) => name === COOKIE);
    expect(targetOf(await visitor.open(callback, undefined, from()))).toBe("/");
    visitor.cookies.push(...kept);
    expectProblem(await visitor.open(callback, undefined, from()), "sign_in_failed");
    for (const part of [2, 3]) {
      const other = new Visitor();
      const target = await toCallback(other, person());
      for (const cookie of other.cookies) {
        if (cookie.name === COOKIE) cookie.value = cookie.value.split(".").with(part, "x".repeat(43)).join(".");
      }
      expectProblem(await other.open(target, undefined, from()), "sign_in_failed");
    }
  });

  test.each([
    ["another issuer", { claims: { iss: "https://elsewhere.example" } }],
    ["another audience", { claims: { aud: "another client" } }],
    ["another nonce", { claims: { nonce: "another" } }],
    ["an end in the past", { claims: { exp: 1_700_000_000 } }],
    ["no subject", { claims: { sub: "" } }],
    ["a subject too long", { claims: { sub: "x".repeat(10_000) } }],
    ["a subject of another kind", { claims: { sub: { toString: "x" } } }],
    ["a subject that no store takes", { claims: { sub: "x\0" } }],
    ["another key", { signedBy: "another" as const }],
    ["no signature", { signedBy: "nobody" as const }],
  ])("an ID token with %s is refused", async (_, token) => {
    states("SECURITY.md", "the signature, issuer, audience and times of the ID token are checked");
    states(
      "docs/administration.md",
      "The service checks the signature of the ID token, its issuer, audience, times and nonce",
      "`sign_in_failed` | The answer of the provider is not valid.",
    );
    newAddress();
    await provider.lie({ token });
    const { answer } = await signIn(person());
    await provider.lie({});
    expectProblem(answer, "sign_in_failed");
  });

  test("ten failures a minute and address are checked; the provider's own count for nobody", async () => {
    states(
      "docs/administration.md",
      "Each address may fail ten times per minute; failures while the provider is unavailable",
      "or its discovery document is not valid. The log has the reason.",
      "`too_many_attempts` | Attempts from this address failed too often.",
    );
    newAddress();
    const who = person({ roles: [] });
    await provider.lie({ fails: "/token" });
    await service.advance({ seconds: 1 });
    for (let i = 0; i < 11; i++) expectProblem((await signIn(who)).answer, "provider_unavailable");
    await provider.lie({});
    await eventually(() => isLogged("/token: status 503"));
    states(
      "docs/monitoring.md",
      "| `The OpenID provider did not sign an operator in.` | error | The provider of single sign-on did not answer, or its answer is not valid: `err` has the reason. |",
    );
    const logged = service.output.find((line) => line.includes("/token: status 503")) ?? "{}";
    expect(JSON.parse(logged)).toMatchObject({
      level: 50,
      msg: "The OpenID provider did not sign an operator in.",
      err: { message: expect.any(String) },
    });
    for (let i = 0; i < 10; i++) expectProblem((await signIn(who)).answer, "no_role");
    const member = person();
    expectProblem((await signIn(member)).answer, "too_many_attempts");
    newAddress();
    expect(targetOf((await signIn(member)).answer)).toBe("/");
  });

  test("of first sign-ins of one person at once, one adds the operator", async () => {
    newAddress();
    const who = person();
    const visitors = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const visitor = new Visitor();
        return { visitor, callback: await toCallback(visitor, who) };
      }),
    );
    const answers = await Promise.all(
      visitors.map(({ visitor, callback }) => visitor.open(callback, undefined, from())),
    );
    expect(answers.map(targetOf)).toEqual(Array.from(answers, () => "/"));
    const found = (await service.stores.operators.list()).filter(({ name }) => name === who.email);
    expect(found).toHaveLength(1);
    expect(await auditOf(`target=${found[0]?.id}&action=operator.create`)).toHaveLength(1);
  });

  test("behind a proxy with TLS addresses begin with https and cookies are secure; other hosts are refused", async () => {
    states(
      "docs/administration.md",
      "If the provider refuses the redirect URI because it begins with `http:`, the proxy with TLS is not in `PETSTORE_TRUSTED_PROXIES`, or sends no `X-Forwarded-Proto: https`.",
    );
    const secure = await new Visitor().open(`${service.adminUrl}${BEGIN}`, undefined, { "X-Forwarded-Proto": "https" });
    expect(new URL(targetOf(secure)).searchParams.get("redirect_uri")).toStartWith("https://127.0.0.1:");
    expect(secure.headers.get("Set-Cookie")).toEndWith("; SameSite=Lax; Secure");
    const elsewhere = await anonymous(service).get(BEGIN, { Host: "evil.example" });
    expect([elsewhere.status, elsewhere.body.code]).toEqual([403, "host_not_allowed"]);
  });

  test.each([
    ["no host", "HTTP/1.0\r\n"],
    ["an empty host", "HTTP/1.1\r\nHost: \r\nConnection: close\r\n"],
    ["a port that is none", "HTTP/1.1\r\nHost: 127.0.0.1:99999\r\nConnection: close\r\n"],
  ])("a request with %s, to which no browser could return, leads to no provider", async (_, head) => {
    for (const path of [BEGIN, `${BEGIN}/callback?code=x&state=y`]) {
      const { status, headers } = await sendRaw(service.adminUrl, `GET ${path} ${head}\r\n`);
      expect([status, headers.get("Location")]).toEqual([303, "/console#/sign-in/sign_in_failed"]);
    }
  });

  test("the console learns that there is a provider, and nothing else", async () => {
    const { text } = await anonymous(service).get("/console");
    expect(text).toContain(" data-single-sign-on ");
    expect(text).not.toContain(provider.issuer);
  });

  test("a provider may be away, at the start and between two steps: the next sign-in finds it, and no session ends", async () => {
    states("docs/administration.md", "Sessions outlast a change of these settings.");
    states(
      "docs/administration.md",
      "Who is signed in stays so while the provider is away.",
      "While nobody is an admin, or the provider is away, sign in with a token: `petstore operators create` on the machine creates one.",
    );
    states(
      "docs/administration.md",
      "Who is signed in stays so while the provider is away.",
      "The only admin, too, may become a viewer so.",
    );
    newAddress();
    const { visitor } = await signIn(person());
    const member = person();
    const halfway = new Visitor();
    const callback = await toCallback(halfway, member);
    await provider.stop();
    await using late = await startService({ env: provider.env });
    expectProblem(await new Visitor().open(`${late.adminUrl}${BEGIN}`), "provider_unavailable");
    expectProblem(await halfway.open(callback, undefined, from()), "provider_unavailable");
    expect((await sessionOf(visitor)).operator.role).toBe("admin");
    await provider.start();
    const invitation = new OperatorAdministration(late.stores.operators, TESTER);
    const link = await invitation.createLink(late.now);
    const again = new Visitor();
    expect(targetOf(await again.open(await toCallback(again, member, late)))).toBe("/");
    expect(await invitation.createFirst(link?.secret ?? "", "Eve", late.now)).toBeUndefined();
    const reduced = new Visitor();
    await reduced.open(await toCallback(reduced, { ...member, roles: ["petstore-viewer"] }, late));
    expect((await late.stores.operators.list()).map(({ role }) => role)).toEqual(["viewer"]);
  });

  test("a service that cannot reach its database says so", async () => {
    states("docs/administration.md", "`service_unavailable` | The service could not reach its database.");
    await using other = await startService({ store: "sqlite", env: provider.env });
    const visitor = new Visitor();
    const callback = await toCallback(visitor, person(), other);
    await using store = await other.store.connect();
    await store.run("ALTER TABLE operators RENAME TO operators_away");
    expectProblem(await visitor.open(callback), "service_unavailable");
  });

  test("no code, state, nonce, verifier, token or secret is in the log, the audit log or the settings", async () => {
    states("SECURITY.md", "and no token is stored.");
    states("docs/administration.md", "and stores no token.");
    const { client } = await service.withOperator();
    const seen = [
      service.output.join("\n"),
      (await client.get("/admin/v1/audit?limit=200")).text,
      (await client.get("/admin/v1/settings")).text,
      (await client.get("/admin/v1/operators")).text,
    ].join("\n");
    expect(seen).toContain("did not sign an operator in");
    expect(secrets.size).toBeGreaterThan(20);
    expect([...secrets].filter((secret) => seen.includes(secret))).toEqual([]);
    expect(seen).not.toMatch(/eyJ[\w-]{20}/);
  });
});

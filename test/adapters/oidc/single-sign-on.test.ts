import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { OpenIdProvider, type ProviderConfig } from "../../../src/adapters/oidc/single-sign-on.ts";
import { SignInFailure } from "../../../src/domain/operators.ts";
import { states } from "../../support/markdown.ts";
import {
  hasOpenIdProvider,
  type Lie,
  OpenIdProvider as RunningProvider,
  Visitor,
} from "../../support/openid-provider.ts";

const CALLBACK = "http://127.0.0.1:1/admin/v1/session/oidc/callback";
const HOME = "http://127.0.0.1:1/console";
const PERSON = { sub: "ada", email: "ada@example.com", roles: "admin" };

describe.skipIf(!hasOpenIdProvider)("at an OpenID provider", () => {
  let running: RunningProvider;
  beforeAll(async () => {
    running = await RunningProvider.start();
  });
  afterAll(() => running?.stop());

  const providerWith = (more: Partial<ProviderConfig> = {}) =>
    new OpenIdProvider({
      issuer: running.issuer,
      clientId: "petstore",
      clientSecret: "the secret of the client",
      scope: "openid email",
      roles: { claim: "roles", admins: ["admin"], viewers: [] },
      ...more,
    });
  const signIn = async (provider: OpenIdProvider) => {
    const { url, checks } = await provider.begin(CALLBACK);
    return provider.finish(new URL(await new Visitor().atProvider(url, PERSON)), checks);
  };
  const failureOf = async (work: Promise<unknown>) => {
    const failure = await work.then(
      () => undefined,
      (error) => error,
    );
    if (!(failure instanceof SignInFailure)) throw new Error(`this did not fail: ${failure}`);
    return [failure.problem, failure.reason];
  };
  const whileIt = async <T>(lie: Lie, work: () => Promise<T>): Promise<T> => {
    await running.lie(lie);
    try {
      return await work();
    } finally {
      await running.lie({});
    }
  };

  test("a public client has no secret, and a client with a wrong one is refused, with the reason", async () => {
    states("docs/settings.md", "The secret of that client; none for a public client.");
    states("docs/administration.md", "A public client has no secret.");
    const provider = providerWith({ clientId: "public", clientSecret: undefined });
    expect(provider.identityOf(await signIn(provider))).toMatchObject({ name: PERSON.email, role: "admin" });
    const wrong = signIn(providerWith({ clientSecret: "wrong" }));
    expect(await failureOf(wrong)).toEqual(["sign_in_failed", "it refuses the id or the secret of the client"]);
  });

  test.each<[string, string[] | null, Lie["takesSecret"]]>([
    ["form where the provider takes no other", ["client_secret_post"], "form"],
    ["header where it takes both", ["client_secret_post", "client_secret_basic"], "basic"],
    ["header where it does not say", null, "basic"],
  ])("a client sends its secret in the %s", async (_, methods, takesSecret) => {
    const lie = { discovery: { token_endpoint_auth_methods_supported: methods }, takesSecret };
    expect((await whileIt(lie, () => signIn(providerWith()))).sub).toBe("ada");
  });

  test.each<[string, Lie]>([
    ["names another issuer", { discovery: { issuer: "https://elsewhere.example" } }],
    ["stands for every tenant", { discovery: { issuer: "https://login.microsoftonline.com/{tenantid}/v2.0" } }],
    ["sends browsers to a script", { discovery: { authorization_endpoint: "javascript:alert(1)" } }],
    ["signs browsers out by a script", { discovery: { end_session_endpoint: "javascript:alert(1)//" } }],
    ["sends browsers to no address", { discovery: { authorization_endpoint: "no address" } }],
    [
      "sends browsers to another machine without TLS",
      { discovery: { authorization_endpoint: "http://other.example" } },
    ],
    ["has no endpoint for browsers", { discovery: { authorization_endpoint: null } }],
    ["has no endpoint for tokens", { discovery: { token_endpoint: null } }],
    ["has its tokens on another machine without TLS", { discovery: { token_endpoint: "http://other.example" } }],
    ["has no keys", { discovery: { jwks_uri: null } }],
    ["is too large", { discovery: { padding: "x".repeat(1_100_000) } }],
    ["is not there", { fails: "/.well-known" }],
  ])("a discovery document that %s is not taken, and the next call reads it again", async (_, lie) => {
    states("SECURITY.md", "Only a provider on the same machine, with all of its endpoints, may use plain HTTP.");
    states(
      "docs/administration.md",
      "The service refuses `common` and `organizations`, which stand for every tenant.",
      "or its discovery document is not valid.",
    );
    const provider = providerWith();
    const [problem, reason] = await failureOf(whileIt(lie, () => provider.begin(CALLBACK)));
    expect([problem, typeof reason]).toEqual(["provider_unavailable", "string"]);
    expect((await provider.begin(CALLBACK)).url).toStartWith(`${running.issuer}/auth?`);
  });

  test("a provider that hangs holds no step for longer than 5 seconds, and all who wait for its document wait together", async () => {
    states(
      "docs/administration.md",
      "It waits for the provider for at most 5 seconds.",
      "`provider_unavailable` | The provider did not answer in time",
    );
    const [fresh, known] = [providerWith(), providerWith()];
    const { url, checks } = await known.begin(CALLBACK);
    const callback = new URL(await new Visitor().atProvider(url, PERSON));
    const ended: string[] = [];
    const after = async <T>(name: string, work: Promise<T>): Promise<T> => {
      const result = await work;
      ended.push(name);
      return result;
    };
    const failures = await whileIt({ hangs: true }, async () => {
      const signIns = [
        after("a sign-in", failureOf(fresh.begin(CALLBACK))),
        failureOf(fresh.begin(CALLBACK)),
        failureOf(fresh.finish(callback, checks)),
        failureOf(known.finish(callback, checks)),
      ];
      // The console waits for it, and so for less.
      await after("where to sign out", providerWith().signOutUrl(running.issuer, HOME));
      return Promise.all(signIns);
    });
    expect(ended).toEqual(["where to sign out", "a sign-in"]);
    for (const failure of failures) expect(failure).toEqual(["provider_unavailable", "no answer within 5000 ms"]);
    expect((await signIn(fresh)).sub).toBe("ada");
  });

  test("keys that do not come make no sign-in", async () => {
    const provider = providerWith();
    expect(await failureOf(whileIt({ fails: "/jwks" }, () => signIn(provider)))).toEqual([
      "provider_unavailable",
      "/jwks: status 503",
    ]);
    expect((await signIn(provider)).sub).toBe("ada");
  });

  test("who signs out is led to the provider, if it has a page for that, and is the one that signed in", async () => {
    states("docs/administration.md", "the sign-out page of the provider, if its discovery document names one.");
    const provider = providerWith();
    const url = `${running.issuer}/session/end?post_logout_redirect_uri=${encodeURIComponent(HOME)}&client_id=petstore`;
    expect(await provider.signOutUrl(running.issuer, HOME)).toBe(url);
    expect(await provider.signOutUrl("https://earlier.example", HOME)).toBeUndefined();
    const without = providerWith();
    await whileIt({ discovery: { end_session_endpoint: null } }, () => without.begin(CALLBACK));
    expect(await without.signOutUrl(running.issuer, HOME)).toBeUndefined();
    const hanging = providerWith();
    expect(await whileIt({ hangs: true }, () => hanging.signOutUrl(running.issuer, HOME))).toBeUndefined();
    const away = providerWith({ issuer: "http://127.0.0.1:9" });
    expect(await away.signOutUrl("http://127.0.0.1:9", HOME)).toBeUndefined();
  });

  test("each sign-in has its own state, nonce and verifier", async () => {
    const provider = providerWith();
    const begun = await Promise.all(Array.from({ length: 20 }, () => provider.begin(CALLBACK)));
    expect(new Set(begun.flatMap(({ checks }) => Object.values(checks))).size).toBe(60);
  });
});

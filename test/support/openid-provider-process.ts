/**
 * An OpenID provider on loopback, oidc-provider, which prints its issuer. Arguments: the directory of its modules, a port, a host name. A sign-in
 * page takes the claims of the person as JSON. Each line of standard input is a `Lie`, which holds until the next one.
 */
import { createServer } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Lie } from "./openid-provider.ts";

const [modules = "", port, host = ""] = process.argv.slice(2);
const { default: Provider } = await import(join(modules, "oidc-provider/lib/index.js"));
const jose = await import(join(modules, "jose/dist/webapi/index.js"));

type Claims = Record<string, unknown>;
type Context = {
  path: string;
  body?: Record<string, unknown>;
  oidc: { session: { accountId: string }; client: { clientId: string } };
};

const CALLBACK = "http://127.0.0.1/admin/v1/session/oidc/callback";
const KID = "the key";
const newKey = async () => (await jose.generateKeyPair("RS256", { extractable: true })).privateKey;
const [key, wrongKey] = [await newKey(), await newKey()];

let lie: Lie = {};
const people = new Map<string, Claims>();

const server = createServer();
server.listen(Number(port), "127.0.0.1", () => {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("there is no port");
  serve(`http://${host}:${address.port}`);
});

async function serve(issuer: string): Promise<void> {
  // Of a native client any port of a loopback address may be its own.
  const client = {
    application_type: "native",
    redirect_uris: [CALLBACK],
    post_logout_redirect_uris: ["http://127.0.0.1/console"],
  };
  const provider = new Provider(issuer, {
    clients: [
      { ...client, client_id: "petstore", client_secret: "the secret of the client" },
      { ...client, client_id: "public", token_endpoint_auth_method: "none" },
    ],
    jwks: { keys: [{ ...(await jose.exportJWK(key)), kid: KID, use: "sig", alg: "RS256" }] },
    cookies: { keys: ["a key of cookies"] },
    claims: { openid: ["sub", "roles"], email: ["email", "email_verified"], profile: ["name", "preferred_username"] },
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: true } },
    interactions: { url: (_: Context, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_: Context, accountId: string) => ({ accountId, claims: () => people.get(accountId) }),
    loadExistingGrant: async ({ oidc }: Context) => {
      const grant = new provider.Grant({ accountId: oidc.session.accountId, clientId: oidc.client.clientId });
      grant.addOIDCScope("openid email profile");
      await grant.save();
      return grant;
    },
  });
  provider.on("server_error", (_: unknown, error: Error) => console.error(error));
  provider.use(async (context: Context, next: () => Promise<void>) => {
    await next();
    if (context.path.endsWith("/openid-configuration")) context.body = { ...context.body, ...told() };
    if (context.path === "/token" && lie.token !== undefined) await replaceToken(context, lie.token);
  });
  const respond = provider.callback();
  server.on("request", async (request, response) => {
    const path = request.url ?? "";
    if (lie.hangs === true || (typeof lie.hangs === "string" && path.startsWith(lie.hangs))) return;
    if (lie.fails !== undefined && path.startsWith(lie.fails)) return void response.writeHead(503).end("away");
    const isBasic = request.headers.authorization?.startsWith("Basic ") ?? false;
    if (path === "/token" && lie.takesSecret !== undefined && isBasic !== (lie.takesSecret === "basic"))
      return void response.writeHead(401, { "Content-Type": "application/json" }).end('{"error":"invalid_client"}');
    if (!path.startsWith("/interaction/")) return respond(request, response);
    const send = (html: string) => response.writeHead(200, { "Content-Type": "text/html" }).end(html);
    if (request.method === "GET")
      return send(
        `<h1>Provider</h1><form method="post"><label>Person <input name="person"></label><button>Continue</button></form>`,
      );
    const form = new URLSearchParams(Buffer.concat(await Array.fromAsync(request)).toString());
    const person = form.get("person");
    if (person === null)
      return provider.interactionFinished(request, response, {
        error: "access_denied",
        error_description: "<b>no</b>",
      });
    const claims = JSON.parse(person);
    people.set(claims.sub, claims);
    return provider.interactionFinished(request, response, { login: { accountId: claims.sub }, consent: {} });
  });
  console.log(issuer);
  for await (const line of createInterface({ input: process.stdin })) {
    lie = JSON.parse(line);
    console.log("ready");
  }
}

/** What it says of itself in place of the truth; undefined, which JSON leaves out, for null. */
function told(): Record<string, unknown> {
  return Object.fromEntries(Object.entries(lie.discovery ?? {}).map(([name, value]) => [name, value ?? undefined]));
}

/** Signs the ID token again, with other claims, or another key. */
async function replaceToken({ body }: Context, { claims, signedBy }: NonNullable<Lie["token"]>): Promise<void> {
  if (typeof body?.id_token !== "string") return;
  const payload = { ...jose.decodeJwt(body.id_token), ...claims };
  if (signedBy === "nobody") {
    body.id_token = new jose.UnsecuredJWT(payload).encode();
    return;
  }
  body.id_token = await new jose.SignJWT(payload)
    .setProtectedHeader({ alg: "RS256", kid: KID })
    .sign(signedBy === "another" ? wrongKey : key);
}

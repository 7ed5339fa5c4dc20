import type { Configuration, CustomFetch } from "openid-client";
import {
  type Claims,
  type Identity,
  identityOf,
  type RoleRule,
  type SignInChecks,
  SignInFailure,
  type SingleSignOn,
} from "../../domain/operators.ts";

/** An OpenID provider, and what it knows this service as. Without a secret it is a public client. */
export type ProviderConfig = {
  issuer: string;
  clientId: string;
  clientSecret: string | undefined;
  /** Separated by spaces. */
  scope: string;
  roles: RoleRule;
};

/** No request waits longer for the provider, in ms; one that only asks where to sign out waits for so long. */
const PATIENCE = 5_000;
const SHORT_PATIENCE = 1_000;

/** The largest answer of a provider, in bytes. */
const MAX_ANSWER = 1_048_576;

/** The library takes 10 ms to load: only a sign-in needs it. */
const library = () => import("openid-client");

/** The provider with its discovery document, which is read when it is first needed, by all who wait for it together. */
export class OpenIdProvider implements SingleSignOn {
  readonly #config: ProviderConfig;
  #client: Promise<Configuration> | undefined;

  constructor(config: ProviderConfig) {
    this.#config = config;
  }

  async begin(redirectUri: string): Promise<{ url: string; checks: SignInChecks }> {
    const client = await this.#discovered();
    const { buildAuthorizationUrl, calculatePKCECodeChallenge, ...random } = await library();
    const checks = {
      state: random.randomState(),
      nonce: random.randomNonce(),
      verifier: random.randomPKCECodeVerifier(),
    };
    const url = buildAuthorizationUrl(client, {
      redirect_uri: redirectUri,
      scope: this.#config.scope,
      state: checks.state,
      nonce: checks.nonce,
      code_challenge: await calculatePKCECodeChallenge(checks.verifier),
      code_challenge_method: "S256",
    });
    return { url: url.href, checks };
  }

  async finish(callback: URL, { state, nonce, verifier }: SignInChecks): Promise<Claims> {
    const redeem = async () => {
      const client = await this.#discovered();
      const { authorizationCodeGrant } = await library();
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
      const claims = (await authorizationCodeGrant(client, callback, checks)).claims();
      if (claims === undefined) throw new SignInFailure("sign_in_failed", "there is no ID token");
      return claims;
    };
    return within(PATIENCE, redeem()).catch(async (error) => {
      throw failureIn(error) ?? (await failureOf(error));
    });
  }

  identityOf(claims: Claims): Identity {
    return identityOf(claims, this.#config.roles);
  }

  async signOutUrl(issuer: string, returnTo: string): Promise<string | undefined> {
    const client = await within(SHORT_PATIENCE, this.#discovered()).catch(() => undefined);
    const metadata = client?.serverMetadata();
    if (client === undefined || metadata?.issuer !== issuer || typeof metadata.end_session_endpoint !== "string")
      return undefined;
    return (await library()).buildEndSessionUrl(client, { post_logout_redirect_uri: returnTo }).href;
  }

  /** @throws SignInFailure; the next call tries again */
  #discovered(): Promise<Configuration> {
    this.#client ??= within(PATIENCE, discover(this.#config)).catch((error) => {
      this.#client = undefined;
      throw failureIn(error) ?? new SignInFailure("provider_unavailable", reasonOf(error));
    });
    return this.#client;
  }
}

async function discover({ issuer, clientId, clientSecret }: ProviderConfig): Promise<Configuration> {
  const client = await library();
  const server = new URL(issuer);
  const isPlain = server.protocol === "http:";
  const basic = clientSecret === undefined ? client.None() : client.ClientSecretBasic(clientSecret);
  const post = clientSecret === undefined ? client.None() : client.ClientSecretPost(clientSecret);
  const discovered = await client.discovery(
    server,
    clientId,
    {},
    // Where a provider takes both, some accept only what the client was registered with, which is the first by default.
    (metadata, ...request) =>
      (takesBasic(metadata.token_endpoint_auth_methods_supported) ? basic : post)(metadata, ...request),
    {
      timeout: PATIENCE / 1000,
      [client.customFetch]: fetchLimited,
      execute: [client.enableNonRepudiationChecks, ...(isPlain ? [client.allowInsecureRequests] : [])],
    },
  );
  const metadata = discovered.serverMetadata();
  // Issuers that stand for any tenant would let the admins of any tenant in.
  if (new URL(metadata.issuer).href !== server.href)
    throw new SignInFailure("provider_unavailable", "its discovery document names another issuer");
  const { authorization_endpoint, token_endpoint, jwks_uri, end_session_endpoint } = metadata;
  for (const endpoint of [authorization_endpoint, token_endpoint, jwks_uri, end_session_endpoint ?? issuer]) {
    if (endpoint === undefined || !isSafe(endpoint, server))
      throw new SignInFailure(
        "provider_unavailable",
        "an endpoint in its discovery document is missing or has no https URL",
      );
  }
  return discovered;
}

/** Whether an endpoint has TLS, or is on this machine as the issuer is. */
function isSafe(endpoint: string, issuer: URL): boolean {
  if (!URL.canParse(endpoint)) return false;
  const { protocol, hostname } = new URL(endpoint);
  return protocol === "https:" || (protocol === issuer.protocol && hostname === issuer.hostname);
}

function takesBasic(methods: string[] | undefined): boolean {
  return methods === undefined || methods.includes("client_secret_basic");
}

/** Fetches an answer of at most MAX_ANSWER bytes. @throws SignInFailure when there is none, or the provider failed */
const fetchLimited: CustomFetch = async (url, options) => {
  const away = (reason: string) => new SignInFailure("provider_unavailable", `${new URL(url).pathname}: ${reason}`);
  try {
    // Bodies are forms.
    const body = options.body === undefined ? null : String(options.body);
    const response = await fetch(url, { ...options, body });
    const { status, headers } = response;
    if (status >= 500) throw away(`status ${status}`);
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body ?? []) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > MAX_ANSWER) throw away(`more than ${MAX_ANSWER} bytes`);
    }
    return new Response(size === 0 ? null : Buffer.concat(chunks), { status, headers });
  } catch (error) {
    if (error instanceof SignInFailure) throw error;
    throw away(networkReason(error));
  }
};

/** The code of a network error, such as `ECONNREFUSED`: its message may have a URL. */
function networkReason(error: unknown): string {
  if (!(error instanceof Error)) return "no answer";
  if ("code" in error && typeof error.code === "string") return error.code;
  return error.cause === undefined ? error.name : networkReason(error.cause);
}

/** @throws SignInFailure after so many ms */
async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new SignInFailure("provider_unavailable", `no answer within ${milliseconds} ms`)),
    milliseconds,
  );
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** What this module threw within the library, which wraps it. */
function failureIn(error: unknown): SignInFailure | undefined {
  if (error instanceof SignInFailure) return error;
  return error instanceof Error ? failureIn(error.cause) : undefined;
}

/** What an error of the library means for the operator. */
async function failureOf(error: unknown): Promise<SignInFailure> {
  const { AuthorizationResponseError } = await library();
  if (!(error instanceof AuthorizationResponseError)) return new SignInFailure("sign_in_failed", reasonOf(error));
  const isAway = ["server_error", "temporarily_unavailable"].includes(error.error);
  return new SignInFailure(isAway ? "provider_unavailable" : "sign_in_refused", reasonOf(error));
}

/**
 * Why the provider's answer was not taken, for the log: what the library says, and the provider's error code. Other texts of the
 * provider, and what the library could not parse, may contain codes and tokens.
 */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  if (error.name === "WWWAuthenticateChallengeError") return "it refuses the id or the secret of the client";
  const { cause } = error;
  const because = cause instanceof Error && cause.name === "OperationProcessingError" ? `: ${cause.message}` : "";
  const code = "error" in error && /^[a-z_]{1,40}$/.test(String(error.error)) ? `: ${error.error}` : "";
  return `${error.message}${because}${code}`;
}

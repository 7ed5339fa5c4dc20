import { z } from "zod";
import manifest from "../../../package.json" with { type: "json" };
import type { Awaitable } from "../../domain/awaitable.ts";
import type { Deployment } from "../../domain/deployment.ts";
import { PetstoreError } from "../../domain/errors.ts";
import { parseJson, shapeOf, toJson } from "../../domain/json.ts";
import { authenticate, consume, consumeFreely } from "./checks.ts";
import { openApiDocument } from "./document.ts";
import type { AdmittedContext, PublicContext, Services } from "./operation.ts";
import { MAX_MESSAGE_BYTES, operations } from "./operations/index.ts";
import { record } from "./record.ts";
import {
  type Connection,
  CUT,
  type HttpRequest,
  type HttpResponse,
  json,
  jsonBytes,
  jsonText,
  type RequestHeaders,
  requireBody,
} from "./request.ts";
import { errorResponse } from "./responses.ts";
import { ArgumentsError, errorResult, resultOf, type Tool, toolOf } from "./tools.ts";

/** The version without sessions: each message says all about itself. */
const STATELESS = "2026-07-28";
/** The versions that begin with `initialize`, the newest first. */
const WITH_INITIALIZE = ["2025-11-25", "2025-06-18"] as const;
export const VERSIONS: readonly string[] = [STATELESS, ...WITH_INITIALIZE];

const META = "io.modelcontextprotocol/";
const VERSION = `${META}protocolVersion`;
const CAPABILITIES = `${META}clientCapabilities`;

/** The codes of errors: those of JSON-RPC 2.0, and of the protocol. */
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const METHOD_NOT_FOUND = -32_601;
const INVALID_PARAMS = -32_602;
const HEADER_MISMATCH = -32_020;
const UNSUPPORTED_VERSION = -32_022;

/** How long a client may keep the list of tools, in ms: operators change what a key may do. */
const FRESH = 60_000;

const INSTRUCTIONS = `A pet store: pets, their categories, orders and an inventory. A result has the status, headers and body of an HTTP response.
Lists are pages: where the header Link names a next page, call again with its argument after. An order holds its pet, which is pending
until the order is delivered or cancelled. Send a new idempotencyKey with each creation, and the same one only to repeat it. An error
says what to do; if it names seconds, wait for them first. An integer beyond 2^53 may be sent as text, so that nothing rounds it.`;

const MAX_NAME = 255;
const name = z.string().max(MAX_NAME);
const id = z.union([name, z.bigint()], { error: `must be an integer, or a string of at most ${MAX_NAME} characters` });

/** What is read of a message. Without an id it is a notification. */
const Message = z.object({
  jsonrpc: z.literal("2.0"),
  id: id.optional(),
  method: name,
  params: z
    .object({
      name: name.optional(),
      cursor: z.string().optional(),
      protocolVersion: name.optional(),
      _meta: z.object({ [VERSION]: name.optional(), [CAPABILITIES]: z.object({}).optional() }).optional(),
    })
    .optional(),
});
type Message = z.infer<typeof Message>;
const MESSAGE = shapeOf(Message);
const Identified = z.object({ id });

/** The headers that the response to a call has from that of the operation. */
const PASSED_BACK = /^(?:X-RateLimit-|RateLimit|Retry-After$|Petstore-Simulated$|traceresponse$)/;

/** An error of the protocol. `status` is that of its response. */
class ProtocolError extends Error {
  readonly code: number;
  readonly status: number;
  readonly data: object | undefined;
  /** The id of the message, if it has a valid one. */
  id: Message["id"];

  constructor(code: number, message: string, status = 400, data?: object) {
    super(message);
    this.code = code;
    this.status = status;
    this.data = data;
  }
}

type Respond = (request: HttpRequest, connection: Connection) => Awaitable<HttpResponse>;

type McpServices = Services & { baseUrls: Record<Deployment, string>; corsOrigins: string[] };

/** The call of a tool, as the request that it stands for; or a function that responds to any other message. */
type Prepared = { message: Message; isStateless: boolean; request: HttpRequest } | (() => HttpResponse);

/**
 * `/mcp`: the Model Context Protocol over Streamable HTTP, without sessions and streams. The call of a tool is a request to its
 * operation, which `respond` answers as any other. All else is free, as `GET /usage` is. Source: docs/agents.md.
 */
export class McpEndpoint {
  readonly #services: McpServices;
  readonly #respond: Respond;
  readonly #origins: string[];
  readonly #server: object;
  readonly #tools: Map<string, Tool>;

  constructor(services: McpServices, respond: Respond) {
    const { baseUrls, deployment, corsOrigins } = services;
    this.#services = services;
    this.#respond = respond;
    this.#origins = [new URL(baseUrls[deployment]).origin, ...corsOrigins];
    this.#server = { name: "petstore", title: "Petstore", version: manifest.version };
    const document = openApiDocument(baseUrls, deployment);
    // A secret belongs in no conversation.
    const offered = operations.filter(({ deprecated, scope }) => deprecated === undefined && scope !== "key:rotate");
    this.#tools = new Map(offered.map((each) => [each.id, toolOf(each, document, deployment)]));
  }

  async respond(context: PublicContext): Promise<HttpResponse> {
    let isCall = false;
    const answer = async () => {
      const { key } = await authenticate(context, this.#services);
      const admitted = Object.assign(context, { key });
      const prepared = await this.#prepared(admitted);
      if (typeof prepared === "function") return prepared();
      isCall = true;
      return this.#call(admitted, prepared);
    };
    const response = await answer().catch((error) =>
      error instanceof ProtocolError ? refusal(context, error) : errorResponse(context, error, this.#services.report),
    );
    // The request to the operation is recorded already.
    if (!isCall) record(context, response.status, this.#services);
    return response;
  }

  /** Reads a message, and counts it unless it is a call. @throws what refuses it, once that has been counted */
  async #prepared(context: AdmittedContext): Promise<Prepared> {
    const { freeUses } = this.#services;
    // Of a key that may send nothing at all, nothing is parsed.
    if (freeUses.quotas(context.key.id).shown.remaining === 0) await consume(context, this.#services, 0);
    let prepared: Prepared;
    try {
      prepared = this.#read(context);
    } catch (error) {
      await consumeFreely(context, this.#services);
      throw error;
    }
    if (typeof prepared === "function") await consumeFreely(context, this.#services);
    return prepared;
  }

  /** @throws ProtocolError; and what HTTP refuses: method_not_allowed, payload_too_large, unsupported_media_type */
  #read(context: AdmittedContext): Prepared {
    const { request, headers } = context;
    const origin = request.headers.get("Origin");
    if (origin !== null && !this.#origins.includes(origin)) {
      const message =
        "This service answers no pages of this origin. PETSTORE_CORS_ORIGINS lists those that it answers.";
      throw new ProtocolError(INVALID_REQUEST, message, 403);
    }
    if (request.method !== "POST") {
      headers.Allow = "POST";
      const message = "This path answers POST: it has neither streams nor sessions.";
      throw new PetstoreError("method_not_allowed", { message });
    }
    requireBody(request, { request: { body: Message, maxBytes: MAX_MESSAGE_BYTES } });
    const bytes = jsonBytes(request);
    const value = parsed(bytes);
    try {
      return this.#understood(context, messageIn(value), bytes);
    } catch (error) {
      if (error instanceof ProtocolError) error.id = Identified.safeParse(value).data?.id;
      throw error;
    }
  }

  #understood(context: AdmittedContext, message: Message, bytes: Uint8Array): Prepared {
    const { id, method, params } = message;
    const isStateless = requireVersion(context.request.headers, message);
    if (id === undefined) return () => ({ status: 202, headers: context.headers, body: null });
    const respondWith = (members: string) => () => this.#result(context, message, isStateless, members);
    if (method !== "tools/call") return respondWith(this.#answerTo(message, isStateless, context));
    const tool = this.#tools.get(params?.name ?? "");
    if (tool === undefined) throw new ProtocolError(INVALID_PARAMS, "Unknown tool: tools/list has the names.", 200);
    try {
      return { message, isStateless, request: tool.requestOf(bytes, context) };
    } catch (error) {
      if (error instanceof ArgumentsError) throw new ProtocolError(INVALID_PARAMS, error.message);
      if (error instanceof PetstoreError) return respondWith(errorResult(error));
      throw error;
    }
  }

  /** The members of the result of a method. @throws ProtocolError for a method that the version has not */
  #answerTo({ method, params }: Message, isStateless: boolean, { key }: AdmittedContext): string {
    const fresh = isStateless ? { ttlMs: FRESH, cacheScope: "private" } : {};
    const about = { capabilities: { tools: {} }, instructions: INSTRUCTIONS };
    if (method === "tools/list") {
      if (params?.cursor !== undefined) throw new ProtocolError(INVALID_PARAMS, "All tools are on one page.");
      const tools = [...this.#tools.values()].filter(({ scope }) => scope === undefined || key.scopes.includes(scope));
      return membersOf(fresh, `"tools":[${tools.map(({ text }) => text).join()}]`);
    }
    if (isStateless && method === "server/discover")
      return membersOf({ supportedVersions: VERSIONS, ...about, ...fresh });
    if (!isStateless && method === "ping") return "";
    if (!isStateless && method === "initialize") {
      const asked = WITH_INITIALIZE.find((version) => version === params?.protocolVersion);
      return membersOf({ protocolVersion: asked ?? WITH_INITIALIZE[0], serverInfo: this.#server, ...about });
    }
    // To a client of the older versions, 404 would mean that its session is over.
    throw new ProtocolError(METHOD_NOT_FOUND, "This server does not have this method.", isStateless ? 404 : 200);
  }

  async #call(context: AdmittedContext, { message, isStateless, request }: Exclude<Prepared, () => HttpResponse>) {
    const response = await this.#respond(request, context.connection);
    // The connection is cut, or the key was revoked meanwhile.
    if (response === CUT || response.status === 401) return response;
    for (const [name, value] of Object.entries(response.headers)) {
      if (PASSED_BACK.test(name)) context.headers[name] = value;
    }
    if (response.status === 429) this.#services.freeUses.take(context.key.id);
    return this.#result(context, message, isStateless, resultOf(response));
  }

  #result(context: AdmittedContext, { id }: Message, isStateless: boolean, members: string): HttpResponse {
    const meta = isStateless ? { resultType: "complete", _meta: { [`${META}serverInfo`]: this.#server } } : {};
    return jsonText(context, 200, `{"jsonrpc":"2.0","id":${toJson(id)},"result":{${membersOf(meta, members)}}}`);
  }
}

/** The members of an object and others, as JSON without braces. */
function membersOf(object: object, others = ""): string {
  const own = toJson(object).slice(1, -1);
  return own !== "" && others !== "" ? `${own},${others}` : own + others;
}

function refusal(context: PublicContext, { id, code, message, status, data }: ProtocolError): HttpResponse {
  return json(context, status, { jsonrpc: "2.0", id, error: { code, message, data } });
}

/** @throws ProtocolError */
function parsed(bytes: Uint8Array): unknown {
  try {
    return parseJson(bytes, "The message", MESSAGE);
  } catch (error) {
    throw error instanceof PetstoreError ? new ProtocolError(PARSE_ERROR, error.message) : error;
  }
}

/** @throws ProtocolError */
function messageIn(value: unknown): Message {
  const { success, data, error } = Message.safeParse(value);
  if (success) return data;
  if (Array.isArray(value))
    throw new ProtocolError(INVALID_REQUEST, "Send each message by itself: there are no batches.");
  const [issue] = error.issues;
  const code = issue?.path[0] === "params" ? INVALID_PARAMS : INVALID_REQUEST;
  throw new ProtocolError(code, `${issue?.path.join(".") || "The message"}: ${issue?.message}`);
}

/** Whether a message is one of the version without sessions. @throws ProtocolError where headers and message disagree */
function requireVersion(headers: RequestHeaders, { id, method, params }: Message): boolean {
  const header = headers.get("MCP-Protocol-Version");
  const named = params?._meta?.[VERSION];
  for (const requested of [header, named]) {
    if (typeof requested !== "string" || VERSIONS.includes(requested)) continue;
    throw new ProtocolError(UNSUPPORTED_VERSION, "Unsupported protocol version", 400, {
      supported: VERSIONS,
      requested,
    });
  }
  if (header !== STATELESS && named !== STATELESS) return false;
  if (id === undefined) return true;
  for (const required of [VERSION, CAPABILITIES] as const) {
    if (params?._meta?.[required] === undefined)
      throw new ProtocolError(INVALID_PARAMS, `params._meta lacks ${required}.`);
  }
  const mirrored: [string, string | undefined][] = [
    ["MCP-Protocol-Version", named],
    ["Mcp-Method", method],
    ...(method === "tools/call" ? [["Mcp-Name", params?.name] as [string, string | undefined]] : []),
  ];
  for (const [name, value] of mirrored) {
    if (decoded(headers.get(name)) === value) continue;
    throw new ProtocolError(HEADER_MISMATCH, `The header ${name} must be as in the message.`);
  }
  return true;
}

/** The value of a header that may be in Base64 (Streamable HTTP, Value Encoding). */
function decoded(value: string | null): string | undefined {
  const [, base64] = /^=\?base64\?(.*)\?=$/.exec(value ?? "") ?? [];
  return base64 === undefined ? (value ?? undefined) : Buffer.from(base64, "base64").toString();
}

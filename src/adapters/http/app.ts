import { type Awaitable, after, caught } from "../../domain/awaitable.ts";
import { type Deployment, rootOf } from "../../domain/deployment.ts";
import type { RequestSecret } from "../../domain/keys/key.ts";
import type { Simulation } from "../../domain/simulation.ts";
import {
  addDeprecationHeaders,
  addLimitHeaders,
  authenticate,
  consume,
  PATHS_HINT,
  requireNotRemoved,
  requireOperation,
  requireScope,
  showAddressLimit,
} from "./checks.ts";
import { clientAddress } from "./client-address.ts";
import { Cors } from "./cors.ts";
import { documentationRoutes } from "./documentation.ts";
import { type Malformation, malformedResponse } from "./malformed.ts";
import type { McpEndpoint } from "./mcp.ts";
import type { AdmittedContext, PublicContext, PublicOperation, Services } from "./operation.ts";
import { MAX_MESSAGE_BYTES, operations } from "./operations/index.ts";
import { PageCache } from "./pages.ts";
import { logEntryOf, record } from "./record.ts";
import {
  type Connection,
  type HttpRequest,
  type HttpResponse,
  MAX_BODY_BYTES,
  METHODS,
  newContext,
  pathOf,
  requireBody,
} from "./request.ts";
import { errorResponse, notFoundPage } from "./responses.ts";
import { noRoutes, PREFIX, routerOf } from "./routes.ts";
import { conclude, Delays, simulate, simulationFor } from "./simulation.ts";
import { type Health, probeRoutes, siteOf } from "./site.ts";

/** Everything that the public interface depends on. */
export type PublicServices = Omit<Services, "pages" | "baseUrl"> & {
  health: Health;
  /** How operators run the program, if not as in a checkout, for the documentation. */
  command?: string | undefined;
  /** The port of the administration listener, for the documentation. */
  adminPort?: () => number;
  /** The base addresses of both deployments, ending in /v1. */
  baseUrls: Record<Deployment, string>;
  corsOrigins: string[];
  /** Whether there is the page of a key, /account. */
  hasAccount: boolean;
  /** Whether agents can call it at /mcp. */
  hasMcp: boolean;
  /** Wraps the response to a request under /v1 in a trace. */
  trace?: Trace | undefined;
};

type Respond = (context: PublicContext) => Awaitable<HttpResponse>;
type Trace = (context: PublicContext, respond: Respond) => Awaitable<HttpResponse>;

/** An interface as functions from requests to responses. */
export type App = {
  /** Responds to a request that has arrived whole, but for a body that is read as it arrives. */
  respond(request: HttpRequest, connection: Connection): Awaitable<HttpResponse>;
  /** Responds to bytes that are no request. */
  refuse(malformation: Malformation, connection: Connection): HttpResponse;
  /** Whether the operation of a request reads its body as it arrives, however large it is. */
  readsBody?(method: string, url: string): boolean;
  /** The size of the largest body that the operation of a request takes, in bytes: without it MAX_BODY_BYTES. */
  maxBytes?(method: string, url: string): number;
};
/** Returns the app for the actual port. */
export type AppOn = (port: number) => App;

/** The path of the Model Context Protocol. */
const MCP = "/mcp";
const SITE_HINT = "The interface is under /v1, its documentation at /docs.";

/** The public interface as a function from requests to responses. */
export function createApp(parts: PublicServices): App {
  const services = {
    ...parts,
    pages: new PageCache(),
    baseUrl: parts.baseUrls[parts.deployment],
    delays: new Delays(parts.stopping),
  };
  const { health, report, trace, hasMcp } = services;
  const bound: PublicOperation[] = operations.map((each) => ({ ...each, ...each.bind(services) }));
  const router = routerOf(PREFIX, bound);
  const root = rootOf(services.baseUrl);
  const cors = new Cors(parts.corsOrigins, operations, parts.deployment);
  const site = siteOf([...probeRoutes(health), ...documentationRoutes(parts)], SITE_HINT);

  function respondAndRecord(context: PublicContext): Awaitable<HttpResponse> {
    addDeprecationHeaders(context, services);
    cors.addHeaders(context);
    const response = caught(
      () => (cors.isPreflight(context.request) ? preflight(context) : respond(context)),
      (error) => errorResponse(context, error, report),
    );
    return after(response, (made) => recorded(context, made));
  }

  /** The order of checks, as docs/interface.md publishes it. Not async: a hot request waits for nothing. */
  function respond(context: PublicContext): Awaitable<HttpResponse> {
    // 401; 429 by address
    return after(authenticate(context, services), ({ key, secret }) => {
      const admitted = Object.assign(context, { key });
      // 429
      return after(consume(admitted, services), () => {
        const simulation = simulationFor(admitted, services); // 400
        return simulation === undefined ? perform(admitted) : rehearse(admitted, simulation, secret);
      });
    });
  }

  function rehearse(context: AdmittedContext, simulated: Awaitable<Simulation | undefined>, secret: RequestSecret) {
    const own = () => perform(context);
    return after(simulated, (simulation) =>
      simulation === undefined ? own() : simulate(context, simulation, { secret, perform: own }, services),
    );
  }

  function perform(context: AdmittedContext): Awaitable<HttpResponse> {
    const operation = requireOperation(context, PATHS_HINT); // 404, 405
    requireNotRemoved(operation, context, services); // 410
    requireScope(operation, context); // 403
    requireBody(context.request, operation); // 413, 400
    return operation.handle(context); // 415, 400, 404, 412, 409, 422
  }

  /** The response to a CORS preflight. It has no key, and counts towards no limit. */
  function preflight(context: PublicContext): HttpResponse {
    showAddressLimit(context, services);
    return cors.answerPreflight(context);
  }

  function recorded(context: PublicContext, response: HttpResponse): Awaitable<HttpResponse> {
    const { simulation } = context;
    if (simulation !== undefined && isAdmitted(context)) return conclude(context, simulation, response, services);
    record(context, response.status, services);
    return response;
  }

  /** Responds to probes and documentation requests. They are logged, but not counted. */
  async function respondOutside(context: PublicContext): Promise<HttpResponse> {
    const response = await site(context).catch((error) => {
      showAddressLimit(context, services);
      return notFoundPage(context, error) ?? errorResponse(context, error, report);
    });
    services.logRequest?.(logEntryOf(context, response.status));
    return response;
  }

  let mcp: McpEndpoint | undefined;

  /** Responds to an agent. The first request loads what that takes. */
  async function respondToAgent(context: PublicContext): Promise<HttpResponse> {
    context.headers["Cache-Control"] = "no-store";
    cors.addHeaders(context);
    if (cors.isPreflight(context.request)) return preflight(context);
    try {
      const { McpEndpoint } = await import("./mcp.ts");
      mcp ??= new McpEndpoint(services, app.respond);
    } catch (error) {
      showAddressLimit(context, services);
      return errorResponse(context, error, report);
    }
    return mcp.respond(context);
  }

  const app: App = {
    respond(request, connection) {
      const context: PublicContext = newContext(request, connection, router, root);
      if (health.isStopping()) context.headers.Connection = "close";
      const isOutside = !isUnderPrefix(context.path) && context.path.startsWith("/");
      if (hasMcp && context.path === MCP) return respondToAgent(context);
      if (isOutside) return respondOutside(context);
      context.headers["Cache-Control"] = "no-store";
      // The methods of `OPTIONS *` and CONNECT are those of the service.
      if (!context.path.startsWith("/")) context.route = { ...noRoutes("", ""), allowed: METHODS };
      return trace === undefined ? respondAndRecord(context) : trace(context, respondAndRecord);
    },
    maxBytes: (method, url) => {
      const path = pathOf(url);
      if (hasMcp && path === MCP) return MAX_MESSAGE_BYTES;
      return router(method, path).operation?.request?.maxBytes ?? MAX_BODY_BYTES;
    },
    refuse(malformation, connection) {
      const limits: Record<string, string> = {};
      addLimitHeaders(
        limits,
        services.addresses.quotas(clientAddress(connection.address(), null, parts.trustedProxies)),
      );
      return malformedResponse(malformation, limits);
    },
  };
  return app;
}

function isAdmitted(context: PublicContext): context is AdmittedContext {
  return context.key !== undefined;
}

function isUnderPrefix(path: string): boolean {
  return path.startsWith(PREFIX) && (path.length === PREFIX.length || path[PREFIX.length] === "/");
}

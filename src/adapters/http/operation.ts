import type { z } from "zod";
import type { Author } from "../../domain/audit.ts";
import { type Awaitable, after } from "../../domain/awaitable.ts";
import type { CategoryStore } from "../../domain/categories.ts";
import type { Deployment } from "../../domain/deployment.ts";
import type { EventStore } from "../../domain/events.ts";
import type { RequestKey, Scope } from "../../domain/keys/key.ts";
import type { ActivityRecorder, Counters, FindKey, KeyStore, SimulationOf } from "../../domain/keys/store.ts";
import type { Limiter, MinuteLimiter } from "../../domain/limits/limiter.ts";
import type { Decision, LimitStatus } from "../../domain/limits/limits.ts";
import type { Operator, Role } from "../../domain/operators.ts";
import type { OrderStore } from "../../domain/orders.ts";
import type { PetStore } from "../../domain/pets.ts";
import type { RequestHistory, RequestHistoryRecorder } from "../../domain/requests.ts";
import type { Simulation } from "../../domain/simulation.ts";
import type { Clock } from "../../domain/time.ts";
import type { RequestRecorder } from "../../domain/usage/counting.ts";
import type { LastDay, UsageStore } from "../../domain/usage/reading.ts";
import type { parseRanges } from "./client-address.ts";
import type { PageCache } from "./pages.ts";
import { applied, isStrict, readHeaders, readParams, readQuery, requireKnown } from "./parameters.ts";
import { bodyReader, type HttpResponse, type RequestContext, requireBody } from "./request.ts";
import { type Report, type Representation, representationResponse } from "./responses.ts";
import { type Description, partsOf, type RequestSchemas, type RouteText } from "./routes.ts";

/** One operation of an interface. `Access` is what a caller needs, such as a scope or a role. */
export type Operation<Services, Context extends RequestContext, Access> = Description &
  Access & { bind: (services: Services) => Bound<Context> };

/** The functions of an operation with its services. */
type Bound<Context extends RequestContext> = {
  handle: (context: Context) => Awaitable<HttpResponse>;
  /** What `handle` responds with, for an operation that only reads. */
  read?: (context: Context) => Awaitable<Representation>;
  /** How many requests one counts as, by its content: 1 if that is refused. Without it each counts as one. */
  costOf?: (context: Context) => number;
};

export function authorOf({ operator: { id, name }, requestId }: { operator: Operator; requestId: string }): Author {
  return { operator: { id, name }, requestId };
}

type Definition<
  Services,
  Context extends RequestContext,
  P extends z.ZodObject,
  Q extends z.ZodObject,
  H extends z.ZodObject,
  B extends z.ZodType,
> = Omit<Description, "method" | "path" | "tag" | "request"> & {
  route: RouteText;
  tag?: string;
  request?: RequestSchemas<P, Q, H, B>;
} & (
    | {
        handle: (services: Services, input: Input<Context, P, Q, H, z.output<B>>) => Awaitable<HttpResponse>;
        /** Returns how many requests one counts as. @throws for one that is refused */
        cost?: (input: Input<Context, P, Q, H, z.output<B>>) => number;
        read?: undefined;
      }
    | { read: (services: Services) => Reader<Input<Context, P, Q, H, never>>; handle?: undefined }
  );

/** What reads for each request. It is made once, with the services, and may keep what it has read. */
type Reader<Input> = (input: Input) => Awaitable<Representation>;

/** Returns the function `operation` of an interface, which makes an operation from its definition. */
export function operationFor<Services, Context extends RequestContext, Access>() {
  return <
    P extends z.ZodObject = z.ZodObject,
    Q extends z.ZodObject = z.ZodObject,
    H extends z.ZodObject = z.ZodObject,
    B extends z.ZodType = z.ZodType,
  >(
    definition: Access & Definition<Services, Context, P, Q, H, B>,
  ): Operation<Services, Context, Access> => ({
    ...partsOf(definition.route),
    ...definition,
    bind: (services) => {
      const { body, types, ...schemas } = definition.request ?? {};
      if (definition.read !== undefined) {
        const reader = definition.read(services);
        const read = (context: Context) => {
          if (isStrict(context)) {
            applied(context, STRICT);
            requireKnown(schemas.query, context.request.url);
          }
          return reader(new Input(context, schemas));
        };
        return { read, handle: (context) => after(read(context), (found) => representationResponse(context, found)) };
      }
      const { handle, cost } = definition;
      const readBody = body === undefined ? undefined : bodyReader(body, types);
      const inputOf = (context: Context) => {
        const strict = isStrict(context);
        const content = readBody && { read: readBody(context, strict) };
        if (strict) requireKnown(schemas.query, context.request.url);
        return new Input(context, schemas, content);
      };
      if (cost === undefined) {
        return {
          handle: (context) => {
            if (isStrict(context)) applied(context, STRICT);
            return handle(services, inputOf(context));
          },
        };
      }
      /** What was read for the cost of a request, or why it is refused. */
      const read = new WeakMap<Context, () => ReturnType<typeof inputOf>>();
      return {
        costOf: (context) => {
          try {
            requireBody(context.request, definition);
            const input = inputOf(context);
            const found = cost(input);
            read.set(context, () => input);
            return found;
          } catch (error) {
            read.set(context, () => {
              throw error;
            });
            return 1;
          }
        },
        handle: (context) => {
          if (isStrict(context)) applied(context, STRICT);
          const input = read.get(context)?.() ?? inputOf(context);
          return handle(services, input);
        },
      };
    },
  });
}

const STRICT = "handling=strict";

/**
 * A request as the schemas of its operation parse it. Parameters are parsed, and refused, when the handler uses them: a
 * cached response costs no parsing.
 */
class Input<Context extends RequestContext, P extends z.ZodObject, Q extends z.ZodObject, H extends z.ZodObject, B> {
  readonly context: Context;
  readonly #schemas: { params?: P; query?: Q; headers?: H };
  readonly #body: { read: B } | undefined;

  constructor(context: Context, schemas: { params?: P; query?: Q; headers?: H }, body?: { read: B }) {
    this.context = context;
    this.#schemas = schemas;
    this.#body = body;
  }

  get params(): z.output<P> {
    return readParams(declared(this.#schemas.params), this.context.route.params);
  }

  get query(): z.output<Q> {
    return readQuery(declared(this.#schemas.query), this.context.request.url);
  }

  get headers(): z.output<H> {
    return readHeaders(declared(this.#schemas.headers), this.context.request.headers);
  }

  get body(): B {
    return declared(this.#body).read;
  }
}

/** @throws when a handler uses a part of the request for which its operation declares no schema */
function declared<T>(part: T | undefined): T {
  if (part === undefined) throw new Error("the operation declares no schema for this part of its request");
  return part;
}

/** The log entry of a request. It has neither query nor headers: both may contain secrets. */
export type RequestEntry = {
  method: string;
  path: string;
  status: number;
  milliseconds: number;
  requestId: string;
  keyId: string | undefined;
  /** What it simulated, as the response says it in Petstore-Simulated. */
  simulated?: string | undefined;
};

export type LogRequest = (entry: RequestEntry) => void;

/** What the checks and the operations of the public interface depend on. */
export type Services = {
  pets: PetStore;
  categories: CategoryStore;
  orders: OrderStore;
  events: EventStore;
  findKey: FindKey;
  keys: KeyStore;
  counters: Pick<Counters, "deprecatedCallsOf">;
  usage: Pick<UsageStore, "usageOf">;
  pastRequests: Pick<RequestHistory, "search">;
  limiter: Limiter;
  /** The limit of requests without a valid key, by client address, and the one of free operations, by key id. */
  addresses: MinuteLimiter;
  freeUses: MinuteLimiter;
  activity: ActivityRecorder;
  /** What the requests of a key simulate; without it nothing. */
  simulationOf?: SimulationOf | undefined;
  /** Called once per request, before the first look-up: makes the stores' caches exact as of this moment. */
  refresh: () => void;
  clock: Clock;
  deployment: Deployment;
  trustedProxies: ReturnType<typeof parseRanges>;
  report: Report;
  /** Metrics and usage: each records every request under /v1. */
  recorders: RequestRecorder[];
  history?: RequestHistoryRecorder | undefined;
  /** Returns the usage of a key in the current hour and the 23 before it, oldest first. `now` is Unix ms. */
  lastDay: (keyId: string, now: number) => Awaitable<LastDay>;
  logRequest?: LogRequest | undefined;
  pages: PageCache;
  /** The base address of this deployment, ending in /v1. */
  baseUrl: string;
  /** Aborted when the service begins to stop. */
  stopping: AbortSignal;
};

/** The scope that an operation needs. A free operation counts in no window, and no limit refuses it. */
export type Access = { scope?: Scope; isFree?: true };

export type PublicContext = RequestContext<PublicOperation> & {
  key?: RequestKey;
  /** The decision of the limiter, unless the request was not counted. */
  decision?: Decision;
  /** How many requests it was counted as, if not one. */
  cost?: number;
  /** The limit state of the key, for a free operation. */
  limitStatus?: LimitStatus;
  simulation?: Simulation;
};

export type AdmittedContext = PublicContext & { key: RequestKey };

export interface PublicOperation extends Description, Access, Bound<AdmittedContext> {}

export const operation = operationFor<Services, AdmittedContext, Access>();

type SharedServices = Pick<Services, "pets" | "categories" | "orders" | "clock">;

/** A request of a client with a key, or of an operator. */
type SharedContext = RequestContext &
  ({ key: RequestKey; operator?: undefined } | { operator: Operator; key?: undefined });

/** The role that an operator needs, and what the administration interface says otherwise. */
type SecondDoor = {
  role: Role;
  forOperators?: Partial<Pick<Description, "path" | "summary" | "description" | "request">>;
};

/** Makes an operation with two doors: one of the public interface, and one of the administration interface, by its role. */
export const operationWithDoors = operationFor<SharedServices, SharedContext, Access & SecondDoor>();

export type OperationWithDoors = ReturnType<typeof operationWithDoors>;

/**
 * Who sent a request: the id to which its idempotency keys belong, and whose its changes are: of an author if it is an operator.
 */
export function callerOf(context: SharedContext): {
  id: string;
  author: { by: Author | undefined; requestId: string };
} {
  const { key, operator, requestId } = context;
  if (operator === undefined) return { id: key.id, author: { by: undefined, requestId } };
  return { id: operator.id, author: { by: authorOf({ operator, requestId }), requestId } };
}

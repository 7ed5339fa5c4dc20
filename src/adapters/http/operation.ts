import type { z } from "zod";
import type { Author } from "../../domain/audit.ts";
import { type Awaitable, after } from "../../domain/awaitable.ts";
import type { Operator } from "../../domain/operators.ts";
import { bodyReader } from "./body.ts";
import { readHeaders, readParams, readQuery } from "./parameters.ts";
import type { HttpResponse, RequestContext, RequestHead } from "./request.ts";
import { type Representation, representationResponse } from "./responses.ts";
import { type Description, partsOf, type RequestSchemas, type RouteText } from "./routes.ts";

/** One operation of an interface. `Access` is what a caller needs, such as a scope or a role. */
export type Operation<Services, Context extends RequestContext, Access> = Description &
  Access & { bind: (services: Services) => Bound<Context> };

/** The functions of an operation with its services. */
export type Bound<Context extends RequestContext> = {
  handle: (context: Context) => Awaitable<HttpResponse>;
  /** What `handle` responds with, for an operation that only reads: it needs no more than the head of the request. */
  read?: (context: ReadContext<Context>) => Awaitable<Representation>;
};

/** The part of a request's context from which a read knows what to read. */
export type ReadContext<Context extends RequestContext> = Pick<Context, "path" | "route"> & { request: RequestHead };

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
> = Omit<Description, "method" | "path" | "request"> & {
  route: RouteText;
  request?: RequestSchemas<P, Q, H, B>;
} & (
    | {
        handle: (services: Services, input: Input<Context, P, Q, H, z.output<B>>) => Awaitable<HttpResponse>;
        read?: undefined;
      }
    | { read: (services: Services) => Reader<Input<ReadContext<Context>, P, Q, H, never>>; handle?: undefined }
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
    ...definition,
    ...partsOf(definition.route),
    bind: (services) => {
      const { body, types, ...schemas } = definition.request ?? {};
      if (definition.read !== undefined) {
        const reader = definition.read(services);
        const read = (context: ReadContext<Context>) => reader(new Input(context, schemas));
        return { read, handle: (context) => after(read(context), (found) => representationResponse(context, found)) };
      }
      const { handle } = definition;
      if (body === undefined) return { handle: (context) => handle(services, new Input(context, schemas)) };
      const readBody = bodyReader(body, types);
      return { handle: (context) => handle(services, new Input(context, schemas, { read: readBody(context) })) };
    },
  });
}

/**
 * A request as the schemas of its operation parse it. Parameters are parsed, and refused, when the handler uses them: a
 * cached response costs no parsing.
 */
class Input<
  Context extends ReadContext<RequestContext>,
  P extends z.ZodObject,
  Q extends z.ZodObject,
  H extends z.ZodObject,
  B,
> {
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

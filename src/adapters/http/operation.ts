import type { z } from "zod";
import type { Awaitable } from "../../domain/awaitable.ts";
import { bodyReader } from "./body.ts";
import type { Description, RequestSchemas } from "./description.ts";
import { readHeaders, readParams, readQuery } from "./parameters.ts";
import type { RequestContext } from "./request-context.ts";

/** One operation of an interface. `Access` is what a caller needs, such as a scope or a role. */
export type Operation<Services, Context, Access> = Description &
  Access & {
    /** Called once with the services. Returns the function that handles each request. */
    handle: (services: Services) => (context: Context) => Awaitable<Response>;
  };

type Definition<
  Services,
  Context extends RequestContext,
  P extends z.ZodObject,
  Q extends z.ZodObject,
  H extends z.ZodObject,
  B extends z.ZodType,
> = Omit<Description, "request"> & {
  request?: RequestSchemas<P, Q, H, B>;
  handle: (services: Services) => (input: Input<Context, P, Q, H, z.output<B>>) => Awaitable<Response>;
};

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
    handle: (services) => {
      const handler = definition.handle(services);
      const { body, types, ...schemas } = definition.request ?? {};
      if (body === undefined) return (context) => handler(new Input(context, schemas));
      const readBody = bodyReader(body, types);
      return async (context) => handler(new Input(context, schemas, { read: await readBody(context) }));
    },
  });
}

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

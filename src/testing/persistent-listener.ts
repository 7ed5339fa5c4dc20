import { getPath } from "hono/utils/url";
import type { App } from "../adapters/http/app.ts";
import type { Connection, NewResponse } from "../adapters/http/request.ts";
import type { Listen, Listener } from "../adapters/listen/listener.ts";
import { after } from "../domain/awaitable.ts";
import { SIMULATE } from "../domain/simulation.ts";
import type { Clock } from "../domain/time.ts";
import type { FailureQueue } from "./planned-failures.ts";
import { observed, type ReceivedRequests } from "./received-requests.ts";

type Parts = { fail: FailureQueue; received: ReceivedRequests; clock: Clock };

/** The listening socket of a pet store, behind which one service replaces another when it is reset. */
export class PersistentListener {
  readonly #listener: Listener;
  readonly #newResponse: NewResponse | undefined;
  readonly #parts: Parts;
  #app: App;

  private constructor(listener: Listener, app: App, newResponse: NewResponse | undefined, parts: Parts) {
    this.#listener = listener;
    this.#app = app;
    this.#newResponse = newResponse;
    this.#parts = parts;
  }

  /** Listens. @throws when it cannot */
  static async open(listen: Listen, port: number, parts: Parts): Promise<PersistentListener> {
    let persistent: PersistentListener | undefined;
    let made: NewResponse | undefined;
    const listener = await listen(
      (_, newResponse) => {
        made = newResponse;
        return (request, connection) => persistent?.respond(request, connection) ?? unready();
      },
      { host: "127.0.0.1", port, isShared: false },
    );
    persistent = new PersistentListener(listener, unready, made, parts);
    return persistent;
  }

  get port(): number {
    return this.#listener.port;
  }

  /** How a service listens: it gets all requests from now on. The socket stays open when the service stops. */
  readonly listen: Listen = async (appOn) => {
    this.#app = appOn(this.port, this.#newResponse);
    return { port: this.port, stop: async () => {}, close: async () => {} };
  };

  close(): Promise<void> {
    return this.#listener.close();
  }

  /** Has the service respond to a request, or simulate what is planned for it, and records both. */
  readonly respond: App = (request, connection) => {
    const { fail, received, clock } = this.#parts;
    const planned = isPlannable(request) ? fail.take() : undefined;
    const entry = received.add(request, planned);
    const added = planned === undefined ? {} : { [SIMULATE]: planned };
    let isCut = false;
    const onCut = () => {
      isCut = true;
    };
    return after(this.#app(observed(request, entry, added), noticingCuts(connection, onCut)), (made) => {
      if (isCut) return made;
      entry.status = made.status;
      // Clients that compare dates see one clock.
      made.headers.set("Date", new Date(clock()).toUTCString());
      return made;
    });
  };
}

/** Whether a planned simulation applies: not to preflights, pages, and requests that have their own. */
function isPlannable(request: Request): boolean {
  const { method, headers } = request;
  return getPath(request).startsWith("/v1/") && method !== "OPTIONS" && !headers.has(SIMULATE);
}

/** The connection, with a call before it is cut. */
function noticingCuts(connection: Connection, onCut: () => void): Connection {
  return {
    address: () => connection.address(),
    allowPause: (milliseconds) => connection.allowPause(milliseconds),
    cut: () => {
      onCut();
      return connection.cut();
    },
  };
}

function unready(): Response {
  return new Response(null, { status: 503 });
}

/** A client of one connection, without a socket of the system. */
import { HttpConnection, type Shared, type Socket } from "../../../src/adapters/listen/connection.ts";

export const GET = Buffer.from("GET / HTTP/1.1\r\nHost: a\r\n\r\n");

/** A socket that writes so, and notes what becomes of it. */
export function socketOf(
  seen: { isDestroyed: boolean; isEnded: boolean; isPaused: boolean },
  write: Socket["write"],
): Socket {
  return {
    address: "::1",
    write,
    destroy() {
      seen.isDestroyed = true;
    },
    end() {
      seen.isEnded = true;
    },
    pause() {
      seen.isPaused = true;
    },
    resume() {
      seen.isPaused = false;
    },
  };
}

/** Lets what is ready go on. */
export const settled = () => new Promise((resolve) => setTimeout(resolve, 5));

/** What the connections of a listener to this app share. */
export const sharedBy = (app: Shared["app"]): Shared => ({ app, opening: () => undefined, second: 0 });

/** A connection whose client reads all at once, and what it has got. The app responds once `respond` is called, if it is slow. */
export function conversation({ isSlow = false, shared: given }: { isSlow?: boolean; shared?: Shared } = {}) {
  const seen = { text: "", isPaused: false, isEnded: false, isDestroyed: false };
  const { promise, resolve: respond } = Promise.withResolvers<void>();
  const socket = socketOf(seen, (data, more = "") => {
    seen.text += Buffer.concat([Buffer.from(data), Buffer.from(more)]).toString("latin1");
    return true;
  });
  const response = () => ({ status: 200, headers: {}, body: "body" });
  const app = { respond: () => (isSlow ? promise.then(response) : response()), refuse: response };
  const shared = given ?? sharedBy(app);
  const connection = new HttpConnection(socket, shared, () => {});
  const say = (text: string) => {
    connection.received(Buffer.from(text, "latin1"));
    return seen.text;
  };
  /** Lets so many seconds pass. */
  const wait = (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      shared.second += 1;
      connection.expire();
    }
  };
  return { connection, seen, say, wait, respond };
}

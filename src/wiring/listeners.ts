import { lookup } from "node:dns/promises";
import type { AppOn } from "../adapters/http/app.ts";
import type { Address, Listen, Listener } from "../adapters/listen/listener.ts";
import { StartupError } from "../domain/errors.ts";
import { hostInUrl } from "./config.ts";

/** How long responses ask clients to close their connections before the listeners close, in ms, unless a stop says otherwise. */
export const CLOSE_NOTICE = 1_500;
/** How long requests in flight may take while the service stops, in ms. */
const STOP_TIMEOUT = 6_000;

/** The codes of failures that another port avoids: it is taken, or only root may listen on it. */
const PORT_FAILURES: unknown[] = ["EADDRINUSE", "EACCES"];

/** What to do when the host, or the port of an address is the cause. */
type Remedies = { host: string; port: string };

/** The listeners of a service. They stop together, once. */
export class Listeners implements AsyncDisposable {
  readonly #listen: Listen;
  readonly #listeners: Listener[] = [];

  constructor(listen: Listen) {
    this.#listen = listen;
  }

  /** Starts a listener with the app for its actual port. @throws StartupError, with a remedy, when it cannot listen on the address */
  async listen(appOn: AppOn, address: Address, remedies: Remedies): Promise<Listener> {
    try {
      const listener = await this.#listen(appOn, address);
      this.#listeners.push(listener);
      return listener;
    } catch (error) {
      const hostAndPort = `${hostInUrl(address.host)}:${address.port}`;
      const { remedy, reason } = await explained(error, address.host, remedies);
      throw new StartupError(`The service cannot listen on ${hostAndPort}. ${remedy} Reason: ${reason}`);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#listeners.splice(0).map((listener) => listener.stop(STOP_TIMEOUT)));
  }
}

/** The remedy for a failure to listen, and its reason. For a host that is unknown, Bun gives the reason of some other error. */
async function explained(error: unknown, host: string, remedies: Remedies) {
  const cause: unknown = await lookup(host).then(
    () => error,
    (unknownHost) => unknownHost,
  );
  if (!(cause instanceof Error)) return { remedy: remedies.port, reason: cause };
  const isPort = cause === error && "code" in cause && PORT_FAILURES.includes(cause.code);
  return { remedy: isPort ? remedies.port : remedies.host, reason: cause.message };
}

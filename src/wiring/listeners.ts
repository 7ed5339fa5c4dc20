import type { AppOn } from "../adapters/http/app.ts";
import type { Address, Listen, Listener } from "../adapters/listen/listener.ts";
import { StartupError } from "../domain/startup-error.ts";
import { hostInUrl } from "./config.ts";

/** How long responses ask clients to close their connections before the listeners close, in ms, unless a stop says otherwise. */
export const CLOSE_NOTICE = 1_500;
/** How long requests in flight may take while the service stops, in ms. */
const STOP_TIMEOUT = 6_000;

/** The listeners of a service. They stop together, once. */
export class Listeners implements AsyncDisposable {
  readonly #listen: Listen;
  readonly #listeners: Listener[] = [];

  constructor(listen: Listen) {
    this.#listen = listen;
  }

  /** Starts a listener with the app for its actual port. @throws StartupError, with this remedy, when it cannot listen on the address */
  async listen(appOn: AppOn, address: Address, remedy: string): Promise<Listener> {
    try {
      const listener = await this.#listen(appOn, address);
      this.#listeners.push(listener);
      return listener;
    } catch (error) {
      const reason = error instanceof Error ? error.message : error;
      const hostAndPort = `${hostInUrl(address.host)}:${address.port}`;
      throw new StartupError(`The service cannot listen on ${hostAndPort}. ${remedy} Reason: ${reason}`);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#listeners.splice(0).map((listener) => listener.stop(STOP_TIMEOUT)));
  }
}

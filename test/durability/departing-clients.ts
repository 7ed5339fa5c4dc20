import { asksToClose, ConnectionLost, KeepAliveConnection, requestText } from "./keep-alive.ts";

const CONNECTIONS = 200;

/**
 * 200 clients that send requests without pause until a response closes the connection: then each goes
 * elsewhere, as a load balancer does. Every other one adds pets.
 */
export class DepartingClients {
  /** The number of responses so far. */
  answered = 0;
  /** The number of requests that lost their connection. */
  readonly dropped: string[] = [];
  /** Responses other than 200 and 201. */
  readonly unexpected: string[] = [];
  /** Resolves when the last client has gone. */
  readonly haveGone: Promise<unknown>;

  constructor(url: string, secret: string) {
    const list = requestText("GET", "/v1/pets", secret);
    const create = requestText("POST", "/v1/pets", secret, '{"name":"Rex","categoryId":1}');
    const clients = Array.from({ length: CONNECTIONS }, (_, index) => this.#ask(url, index % 2 === 0 ? list : create));
    this.haveGone = Promise.all(clients);
  }

  async #ask(url: string, request: string): Promise<void> {
    const connection = await KeepAliveConnection.open(url);
    try {
      for (;;) {
        const answer = await connection.request(request);
        this.answered += 1;
        if (answer.status !== 200 && answer.status !== 201) this.unexpected.push(answer.head);
        if (asksToClose(answer)) break;
      }
      await connection.closed();
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error;
      this.dropped.push(error.message);
    }
  }
}

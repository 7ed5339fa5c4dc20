import { asksToClose, ConnectionLost, KeepAliveConnection, requestText } from "../support/keep-alive.ts";

const CONNECTIONS = 200;

/**
 * 200 clients that send requests without pause until a response closes the connection. Then each goes elsewhere, as a load
 * balancer does, or, if `isReturning`, connects again at once until it is refused. Every other one adds pets.
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
  readonly #isReturning: boolean;

  constructor(url: string, secret: string, { isReturning = false } = {}) {
    this.#isReturning = isReturning;
    const list = requestText("GET", "/v1/pets", secret);
    const create = requestText("POST", "/v1/pets", secret, '{"name":"Rex","categoryId":1}');
    const clients = Array.from({ length: CONNECTIONS }, (_, index) =>
      this.#visit(url, index % 2 === 0 ? list : create),
    );
    this.haveGone = Promise.all(clients);
  }

  async #visit(url: string, request: string): Promise<void> {
    await this.#ask(await KeepAliveConnection.open(url), request);
    while (this.#isReturning) {
      const connection = await KeepAliveConnection.open(url).catch(() => undefined);
      if (connection === undefined) return;
      await this.#ask(connection, request);
    }
  }

  async #ask(connection: KeepAliveConnection, request: string): Promise<void> {
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

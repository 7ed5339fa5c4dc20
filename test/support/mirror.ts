import { detailsOf, type EventStore } from "../../src/domain/events.ts";

/** What a mirror keeps while it is stopped. */
type Stored = { position: bigint; states: Map<string, string> };

/** A copy of the contents of a store, made from its events alone. */
export class Mirror {
  readonly #events: EventStore;
  #position: bigint;
  /** The JSON of what there is, by subject. */
  readonly states: Map<string, string>;

  constructor(events: EventStore, { position, states }: Stored = { position: 0n, states: new Map() }) {
    this.#events = events;
    this.#position = position;
    this.states = new Map(states);
  }

  stored(): Stored {
    return { position: this.#position, states: this.states };
  }

  /** Follows the feed, until there is nothing more or it has read so many pages. */
  async follow(pages = Infinity): Promise<void> {
    for (let i = 0; i < pages; i++) {
      const events = await this.#events.list({ after: this.#position, limit: 20 });
      if (events.length === 0) return;
      for (const event of events) {
        const { type, subject, id } = event;
        if (type.endsWith(".deleted")) this.states.delete(subject);
        else this.states.set(subject, detailsOf(event).data);
        this.#position = BigInt(id);
      }
    }
  }
}

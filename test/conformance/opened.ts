import type { Awaitable } from "../../src/domain/awaitable.ts";

/** A store that a conformance suite is run against, empty when it is opened. */
export type Opened<Store> = {
  store: Store;
  /** The same data, as another process has it open. */
  other: Store;
  /** Has both know what was changed so far, as the service does before each request. */
  refresh(): Awaitable<void>;
  /** Ends both and removes the data. */
  close(): Awaitable<void>;
};

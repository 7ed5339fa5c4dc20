import type { Clock } from "../clock.ts";
import type { PastRequest } from "./request.ts";
import type { Retention } from "./retention.ts";
import { type RequestsPage, searchRequests } from "./search.ts";
import type { RequestSegments } from "./segment.ts";

/** The requests of the last hours, of all processes that share the store. */
export interface RequestHistory {
  readonly retention: Retention;
  /** A page of the requests, newest first. @throws service_unavailable */
  search(page: RequestsPage): Promise<PastRequest[]>;
}

/** The history in these segments. `write` writes what this process has not written yet, before a search. */
export function historyIn(
  segments: Pick<RequestSegments, "list" | "read">,
  retention: Retention,
  clock: Clock,
  write: () => Promise<void> = async () => {},
): RequestHistory {
  return {
    retention,
    search: async (page) => {
      // What cannot be written now is not found, and reported by the background task.
      await write().catch(() => {});
      return searchRequests(segments, page, retention, clock());
    },
  };
}

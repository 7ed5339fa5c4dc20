import {
  type HistoryPlace,
  idOf,
  type Kept,
  keptSegments,
  keptSince,
  type PastRequest,
  placeOf,
  type RequestHistory,
  type RequestSegments,
  type RequestsPage,
  type Retention,
} from "../../domain/requests.ts";
import type { Clock } from "../../domain/time.ts";
import { type Match, matchesIn, requestAt } from "./format.ts";

type Found = HistoryPlace & { match: Match; bytes: Uint8Array };

/**
 * Searches the history segment by segment, the newest first: each takes well under a millisecond, and requests are answered
 * in between. It ends when no older segment can have a request of the page. @throws service_unavailable
 */
export async function searchRequests(
  segments: Pick<RequestSegments, "list" | "read">,
  { limit, before, ...filter }: RequestsPage,
  retention: Retention,
  now: number,
): Promise<PastRequest[]> {
  const since = keptSince(retention, now);
  const start = before === undefined ? undefined : placeOf(before);
  const last = Math.min(start?.at ?? Infinity, filter.to ?? Infinity);
  let found: Found[] = [];
  for (const segment of keptSegments(await segments.list(), retention, now)) {
    if (segment.newest < (filter.from ?? since)) break;
    const oldestFound = found[limit - 1];
    if (oldestFound !== undefined && segment.newest < oldestFound.at) break;
    if (segment.oldest > last) continue;
    const bytes = await segments.read(segment.id);
    if (bytes === undefined) continue;
    const more = matchesIn(bytes, segment, since, filter)
      .map((match) => ({ at: match.at, segment: segment.id, offset: match.offset, match, bytes }))
      .filter((place) => start === undefined || compare(start, place) < 0);
    found = [...found, ...more].sort(compare).slice(0, limit);
  }
  return found.map(({ bytes, match, ...place }) => requestAt(bytes, match, idOf(place)));
}

function compare(a: HistoryPlace, b: HistoryPlace): number {
  if (a.at !== b.at) return b.at - a.at;
  if (a.segment !== b.segment) return a.segment < b.segment ? 1 : -1;
  return b.offset - a.offset;
}

/** The history in these segments. `write` writes what this process has not written yet, before a search. */
export function historyIn(
  segments: Pick<RequestSegments, "list" | "read">,
  kept: Kept,
  clock: Clock,
  write: () => Promise<void> = async () => {},
): RequestHistory {
  return {
    kept,
    search: async (page) => {
      // What cannot be written now is not found, and reported by the background task.
      await write().catch(() => {});
      return searchRequests(segments, page, kept, clock());
    },
  };
}

import { errorCatalogue } from "../errors.ts";
import { type Clock, timestampOf } from "../time.ts";
import {
  keptSegments,
  keptSince,
  type Match,
  matchesIn,
  type PastRequest,
  type RequestFilter,
  type RequestSegments,
  type Retention,
  requestAt,
} from "./format.ts";

/** A page of the history, newest first: at most `limit` matching requests that come after the request `before` (its id). */
type RequestsPage = RequestFilter & { limit: number; before?: string | undefined };

/** A place in the history: newer requests come first, and requests of the same time in the order of segments and bytes. */
type Place = { at: number; segment: string; offset: number };

/** A match, and the bytes in which it is. */
type Found = Place & { match: Match; bytes: Uint8Array };

const ID = /^(\d{1,16})_([0-9a-f-]{12,40})_(\d{1,9})$/;

/** Whether a text is the id of a request in the history, which may be gone. */
export function isPastRequestId(text: string): boolean {
  return ID.test(text);
}

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

function compare(a: Place, b: Place): number {
  if (a.at !== b.at) return b.at - a.at;
  if (a.segment !== b.segment) return a.segment < b.segment ? 1 : -1;
  return b.offset - a.offset;
}

function idOf({ at, segment, offset }: Place): string {
  return `${at}_${segment}_${offset}`;
}

function placeOf(id: string): Place | undefined {
  const [, at, segment = "", offset] = ID.exec(id) ?? [];
  return at === undefined ? undefined : { at: Number(at), segment, offset: Number(offset) };
}

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

/** A request of the history for JSON. Another version may know other codes. */
export function pastRequestJson(past: PastRequest) {
  const { at, keyId, error, simulated, minute, day } = past;
  return {
    id: past.id,
    requestId: past.requestId,
    at: timestampOf(at),
    keyId: keyId ?? null,
    operation: past.operation,
    method: past.method,
    path: past.path,
    status: past.status,
    error: error === undefined ? null : { code: error, message: meaningOf(error) },
    duration: past.duration,
    simulated: simulated ?? null,
    limits: minute === undefined ? null : { minute, day: day ?? null },
  };
}

function meaningOf(code: string): string {
  return Object.entries(errorCatalogue).find(([name]) => name === code)?.[1].message ?? "";
}

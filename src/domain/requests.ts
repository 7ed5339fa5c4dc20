import { errorCatalogue } from "./errors.ts";
import { SECRET_LIKE } from "./keys/secret.ts";
import type { KeyStore } from "./keys/store.ts";
import { timestampOf } from "./time.ts";
import type { Answered } from "./usage/counting.ts";

/** Shorter paths contain a part of a secret only with its underscore. */
const SHORTER_THAN_SECRETS = 20;

/**
 * An id of a key or an operator; or what may be a part of a secret: without its first words or its end, or one of the parts that
 * it was split into. In an id or a log the latter may be something else, in a path nothing else.
 */
const PART_OF_SECRET =
  /(?<=\/)(?:key|op)_[0-9A-Za-z]{16}(?![0-9A-Za-z_])|(?:live|stag|oper|sess|link)_[0-9A-Za-z]{8,}[0-9A-Za-z_]*|[0-9A-Za-z]{16,}(?:_[0-9A-Za-z]{1,6}(?![0-9A-Za-z]))?/g;
/** A number, a word in lower case, or an id: 16 random characters are not all digits or small letters. */
const NO_PART = /^(?:\d+|[a-z]+|(?:key|op)_\w+)$/;

/** Of what is kept of a path. */
export const MAX_PATH_LENGTH = 200;

/** Of another text that is kept, in UTF-8 bytes. */
export const MAX_KEPT_TEXT = 255;

/**
 * The part of a path that is kept: at most 200 characters, and nothing that looks like a secret. A long path is cut where
 * percent-encoding begins, which could disguise one; ids have none.
 */
export function keptPath(path: string): string {
  if (path.length < SHORTER_THAN_SECRETS && !path.includes("_")) return path;
  const encoded = path.indexOf("%");
  const plain = encoded === -1 ? path : `${path.slice(0, encoded)}[...]`;
  const kept = plain
    .replace(SECRET_LIKE, "[key]")
    .replace(PART_OF_SECRET, (part) => (NO_PART.test(part) ? part : "[key]"));
  return kept.length > MAX_PATH_LENGTH ? `${kept.slice(0, MAX_PATH_LENGTH - 5)}[...]` : kept;
}

/** A request under /v1 with what the request history keeps of it beside its counts. `error` is the code of its response. */
export type AnsweredRequest = Answered & { requestId: string; path: string; error: string | undefined };

/** Records every request under /v1 once, after its response was created. Each request waits for this: keep it fast. */
export interface RequestHistoryRecorder {
  record(request: AnsweredRequest): void;
}

export type WindowLeft = { limit: number; remaining: number };

/**
 * A request as the history has it: neither its query, nor headers, bodies, addresses or secrets. `at` is the time of its
 * response in Unix ms, `duration` is in ms.
 */
export type PastRequest = {
  /** Where it is in the history. It is also its place in the order of a list. */
  id: string;
  requestId: string;
  at: number;
  /** Undefined without a valid key. */
  keyId: string | undefined;
  /** The id of its operation, or `OTHER`. */
  operation: string;
  method: string;
  path: string;
  status: number;
  error: string | undefined;
  duration: number;
  /** What it rehearsed, as its response says it in Petstore-Simulated. */
  simulated: string | undefined;
  /** The windows of its key, or that of its address without a valid key; undefined where it was not counted. */
  minute: WindowLeft | undefined;
  day: WindowLeft | undefined;
};

/** Requests as bytes, with their number and the times of the oldest and the newest (Unix ms). */
export type Batch = { bytes: Uint8Array<ArrayBuffer>; count: number; oldest: number; newest: number };

/** Statuses, such as 404, and classes of statuses, such as 4xx. */
export type StatusFilter = readonly string[];

/**
 * Which requests: those that match every given field. `status` and `error` match if one of their values does; `from`
 * (inclusive) and `to` (exclusive) are Unix ms.
 */
export type RequestFilter = {
  requestId?: string | undefined;
  keyIds?: readonly string[] | undefined;
  operation?: readonly string[] | undefined;
  status?: StatusFilter | undefined;
  error?: readonly string[] | undefined;
  from?: number | undefined;
  to?: number | undefined;
};

/** The form of one value of a `StatusFilter`. */
const STATUS_FORM = /^[1-5](xx|\d\d)$/;

/** At most so many requests with one id are shown: a client that sends the same id with each request has its last ones. */
export const MOST_OF_ONE_ID = 100;

/** The form of every request id of the service: see `X-Request-Id` in docs/interface.md. */
export const MAX_REQUEST_ID_LENGTH = 128;
export const REQUEST_ID_FORM = new RegExp(`^[A-Za-z0-9._-]{1,${MAX_REQUEST_ID_LENGTH}}$`);

/** Parses statuses and classes, separated by commas; undefined when one is neither. */
export function parseStatuses(text: string): StatusFilter | undefined {
  const statuses = text.split(",").map((status) => status.trim());
  return statuses.every((status) => STATUS_FORM.test(status)) ? statuses : undefined;
}

export function isAmong(status: number, statuses: StatusFilter): boolean {
  return statuses.includes(String(status)) || statuses.includes(`${Math.floor(status / 100)}xx`);
}

/** What is known of a segment without its bytes: the number of its requests, and the times of the oldest and newest (Unix ms). */
export type SegmentSummary = { id: string; count: number; oldest: number; newest: number };

/** The form of a segment's id: when it began, the process that writes it, and its number there. */
export const SEGMENT_ID = /^\d{1,16}-[0-9a-f]{8}-\d{1,10}$/;

/**
 * Stores the segments of the request history. Each is written by one process, which appends batches to it. It is a log: a
 * crash loses the batches that the system or the server had not written, and damage costs requests, nothing else.
 * Every method throws service_unavailable when the store cannot be reached.
 */
export interface RequestSegments {
  /** The size of a segment, in bytes: a batch that would make it longer begins another one. */
  readonly segmentSize: number;
  /**
   * Appends a batch to the segment, which is `length` bytes long; creates the segment if it is missing. Returns its new
   * length. A repeated call after a failed one appends the batch once. After a successful one the bytes become another batch's.
   */
  append(id: string, length: number, batch: Batch): Promise<number>;
  list(): Promise<SegmentSummary[]>;
  /** The bytes of a segment; undefined if it is missing. */
  read(id: string): Promise<Uint8Array | undefined>;
  /** Deletes segments. Those that are missing are no error. */
  delete(ids: readonly string[]): Promise<void>;
}

/** What the history keeps: the newest `requests`, and none that is older than `hours`. */
export type Retention = { requests: number; hours: number };

/** What the history keeps. `share`: how many of the requests without an error it has, from 0 to 1; it has all others. */
export type Kept = Retention & { share: number };

/** A segment whose first `skipped` requests are not kept any more. */
export type KeptSegment = SegmentSummary & { skipped: number };

const HOUR = 3_600_000;

/** The time before which no request is kept, at `now` (both Unix ms). */
export function keptSince({ hours }: Retention, now: number): number {
  return now - hours * HOUR;
}

/** The segments with requests that are kept, newest first. */
export function keptSegments(segments: readonly SegmentSummary[], retention: Retention, now: number): KeptSegment[] {
  const since = keptSince(retention, now);
  const newestFirst = [...segments].sort((a, b) => b.newest - a.newest || (a.id < b.id ? 1 : -1));
  const kept: KeptSegment[] = [];
  let left = retention.requests;
  for (const segment of newestFirst) {
    if (left <= 0 || segment.count === 0 || segment.newest < since) continue;
    kept.push({ ...segment, skipped: Math.max(0, segment.count - left) });
    left -= segment.count;
  }
  return kept;
}

/** The ids of the segments of which nothing is kept. */
export function expiredSegments(segments: readonly SegmentSummary[], retention: Retention, now: number): string[] {
  const kept = new Set(keptSegments(segments, retention, now).map(({ id }) => id));
  return segments.filter(({ id }) => !kept.has(id)).map(({ id }) => id);
}

/** A page of the history, newest first: at most `limit` matching requests that come after the request `before` (its id). */
export type RequestsPage = RequestFilter & { limit: number; before?: string | undefined };

/** A place in the history: newer requests come first, and requests of the same time in the order of segments and bytes. */
export type HistoryPlace = { at: number; segment: string; offset: number };

const ID = /^(\d{1,16})_([0-9a-f-]{12,40})_(\d{1,9})$/;

/** Whether a text is the id of a request in the history, which may be gone. */
export function isPastRequestId(text: string): boolean {
  return ID.test(text);
}

export function idOf({ at, segment, offset }: HistoryPlace): string {
  return `${at}_${segment}_${offset}`;
}

export function placeOf(id: string): HistoryPlace | undefined {
  const [, at, segment = "", offset] = ID.exec(id) ?? [];
  return at === undefined ? undefined : { at: Number(at), segment, offset: Number(offset) };
}

/** The names of the keys of requests, by their ids. A key that was removed from the store has none. */
export async function keyNamesOf(keys: KeyStore, requests: readonly PastRequest[]): Promise<Map<string, string>> {
  return keys.namesOf([...new Set(requests.flatMap(({ keyId }) => keyId ?? []))]);
}

/** A text selects the requests of so many keys at most, the newest that contain it. */
export const MOST_NAMED_KEYS = 100;

/** The ids of the keys that a text names: a whole id alone, also of a key that was removed, or a part of ids, names and owners. */
export async function keyIdsNamed(keys: KeyStore, text: string, now: number): Promise<string[]> {
  if (KEY_ID.test(text)) return [text];
  const found = await keys.list({ search: text, order: "newest", limit: MOST_NAMED_KEYS }, now);
  return found.map(({ key }) => key.id);
}

const KEY_ID = /^key_[0-9A-Za-z]{16}$/;

/** The requests of the last hours, of all processes that share the store. */
export interface RequestHistory {
  readonly kept: Kept;
  /** A page of the requests, newest first. @throws service_unavailable */
  search(page: RequestsPage): Promise<PastRequest[]>;
}

/** A request of the history for JSON, as its key's owner sees it. Another version may know other codes. */
export function ownRequestJson(past: PastRequest) {
  const { at, error, simulated, minute, day } = past;
  return {
    id: past.id,
    requestId: past.requestId,
    at: timestampOf(at),
    operation: past.operation,
    method: past.method,
    path: past.path,
    status: past.status,
    error: error === undefined ? null : { code: error, message: messages.get(error) ?? "" },
    duration: past.duration,
    simulated: simulated ?? null,
    limits: minute === undefined ? null : { minute, day: day ?? null },
  };
}

/** The same for operators, with its key and the key's name. */
export function pastRequestJson(past: PastRequest, names: ReadonlyMap<string, string>) {
  const { keyId = null } = past;
  return { ...ownRequestJson(past), keyId, keyName: names.get(keyId ?? "") ?? null };
}

const messages = new Map(Object.entries(errorCatalogue).map(([code, { message }]) => [code, message]));

import type { Awaitable } from "../../domain/awaitable.ts";
import { unavailable } from "../../domain/errors.ts";
import { FIRST_POSITION } from "../../domain/events.ts";
import { urlsOf } from "./connections.ts";
import { Database, type TextRow } from "./database.ts";

/**
 * How far a server is: a position in the write-ahead log, in bytes, of one history, and when this process asked
 * (performance.now()). `row` has the last stable ids of then.
 */
type Position = { at: number; wal: bigint; history: string; row: TextRow };

/** The ids come first: what was added up to them is before the position. A promotion begins a new timeline. */
const PRIMARY_POSITION = `WITH stable AS MATERIALIZED (
    SELECT petstore.last_stable_id('pets') AS pets, petstore.last_stable_id('orders') AS orders,
      petstore.last_stable_id('events') AS events
  )
  SELECT stable.*, pg_current_wal_lsn() - '0/0' AS wal, system_identifier || '/' ||
    ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer AS history
  FROM stable, pg_control_system()`;

/** Its timeline is that of its last restart point: after a failover, a standby is one of the new primary only from the next one on. */
const STANDBY_POSITION = `SELECT pg_last_wal_replay_lsn() - '0/0' AS wal,
    system_identifier || '/' || timeline_id AS history
  FROM pg_control_system(), pg_control_checkpoint() WHERE pg_is_in_recovery()`;

async function positionIn(database: Database, statement: string): Promise<Position> {
  const at = performance.now();
  const [row] = await database.query(statement);
  if (row === undefined) throw new Error("this PostgreSQL server is no standby any more");
  return { at, wal: BigInt(row.wal ?? 0), history: String(row.history), row };
}

/** A standby, which knows since when its data are at least as new as the primary's. */
class Standby extends Database {
  readonly #name: string;
  readonly #maxAge: number;
  readonly #openedAt = performance.now();
  /** Positions of the primary that it has not replayed yet, the oldest first. */
  #ahead: Position[] = [];
  /** The last one that it has replayed. */
  #reached: Position | undefined;
  /** Whether it has answered since it last failed. */
  #answers = false;

  constructor(url: string, { poolSize, maxAge }: Replicas, onLostConnection: (error: Error) => void) {
    super(url, poolSize, onLostConnection, true);
    this.#name = /\/\/(?:[^@/]*@)?([^/?]*)/.exec(url)?.[1] ?? "";
    this.#maxAge = maxAge;
  }

  isFresh(now: number): boolean {
    return this.#answers && this.#reached !== undefined && now - this.#reached.at <= this.#maxAge;
  }

  /** Compares it with a position of the primary. @throws service_unavailable, and an Error when it is too far behind */
  async compare(primary: Position): Promise<void> {
    this.#ahead.push(primary);
    try {
      const { wal, history } = await positionIn(this, STANDBY_POSITION);
      const replayed = this.#ahead.filter((position) => position.wal <= wal && position.history === history);
      this.#reached = replayed.at(-1) ?? this.#reached;
      this.#answers = true;
    } catch (error) {
      this.distrust();
      throw error;
    }
    const oldest = performance.now() - this.#maxAge;
    this.#ahead = this.#ahead.filter(({ at }) => at > Math.max(oldest, this.#reached?.at ?? 0));
    if (Math.max(this.#openedAt, this.#reached?.at ?? 0) > oldest) return;
    throw new Error(`the standby ${this.#name} is behind: clients read from the primary`);
  }

  /** Reads nothing from it until it answers the next comparison. */
  distrust(): void {
    this.#answers = false;
  }

  /** That of the position which it has replayed: it has every row up to there. */
  override async lastStableId(table: string): Promise<bigint> {
    if (this.#reached === undefined) throw unavailable(new Error(`the standby ${this.#name} is not fresh`));
    return BigInt(this.#reached.row[table] ?? 0);
  }
}

/** `url` names standbys, `maxAge` is how old their data may be, in ms, and `poolSize` as for the primary, for each of them. */
export type Replicas = { url: string; maxAge: number; poolSize: number };

/** In ms. */
const MAX_INTERVAL = 1_000;

type Readable<Item, Page> = { get(id: bigint): Awaitable<Item | undefined>; list(page: Page): Awaitable<Item[]> };

/**
 * Reads from standbys that are fresh, else from the primary. The primary is asked for its position every now and then: what a
 * standby has replayed up to there is at most as old as the question. The clocks of the servers do not matter, nor does a primary
 * without writes look like a standby that is behind.
 */
export class Standbys {
  /** The pause between comparisons, in ms. */
  readonly interval: number;
  readonly #primary: Database;
  readonly #standbys: Standby[];
  readonly #maxAge: number;
  /** Positions of the primary, the oldest first, of which only the first may be older than what clients read. */
  #positions: Position[] = [];

  constructor(primary: Database, replicas: Replicas, onLostConnection: (error: Error) => void) {
    this.interval = Math.min(replicas.maxAge / 4, MAX_INTERVAL);
    this.#primary = primary;
    this.#maxAge = replicas.maxAge;
    this.#standbys = urlsOf(replicas.url).map((url) => new Standby(url, replicas, onLostConnection));
  }

  /** @throws what is wrong with one of them, or with the primary */
  async compare(): Promise<void> {
    const primary = await positionIn(this.#primary, PRIMARY_POSITION);
    this.#positions.push(primary);
    const settled = this.#positions.findLastIndex(({ at }) => at <= performance.now() - this.#maxAge);
    if (settled > 0) this.#positions.splice(0, settled);
    const compared = await Promise.allSettled(this.#standbys.map((standby) => standby.compare(primary)));
    for (const one of compared) if (one.status === "rejected") throw one.reason;
  }

  /** The newest event of a moment that is older than anything that is read from a standby. */
  position(): bigint {
    const [first] = this.#positions;
    if (first === undefined || first.at > performance.now() - this.#maxAge) return FIRST_POSITION;
    return BigInt(first.row.events ?? 0) || FIRST_POSITION;
  }

  /** What `make` reads from a standby, or `primary` does. A standby that has no such row may not have it yet. */
  reading<Item, Page>(primary: Readable<Item, Page>, make: (database: Database) => Readable<Item, Page>) {
    const stores = new Map(this.#standbys.map((standby) => [standby, make(standby)]));
    const read = async <T>(from: (store: Readable<Item, Page>) => Awaitable<T>): Promise<T> => {
      const now = performance.now();
      const fresh = [...stores].filter(([standby]) => standby.isFresh(now));
      const [standby, store] = fresh[Math.floor(Math.random() * fresh.length)] ?? [];
      try {
        const found = store && (await from(store));
        if (found !== undefined) return found;
      } catch {
        standby?.distrust();
      }
      return from(primary);
    };
    return {
      get: (id: bigint) => read((store) => store.get(id)),
      list: (page: Page) => read((store) => store.list(page)),
    };
  }

  async close(): Promise<void> {
    await Promise.all(this.#standbys.map((standby) => standby.close()));
  }
}

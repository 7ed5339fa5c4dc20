import type { Batch, RequestSegments, SegmentSummary } from "../../domain/requests.ts";
import type { Database, Statement } from "./database.ts";

const APPEND: Statement = {
  name: "petstore_append_requests",
  // Of a repeated write the server may have committed the first: the segment is longer then, and nothing changes.
  text: `INSERT INTO petstore.request_segments AS segment (id, count, oldest, newest, bytes)
    VALUES ($1, $3::bigint, $4::bigint, $5::bigint, decode($6, 'base64'))
    ON CONFLICT (id) DO UPDATE SET count = segment.count + EXCLUDED.count,
      oldest = least(segment.oldest, EXCLUDED.oldest), newest = greatest(segment.newest, EXCLUDED.newest),
      bytes = segment.bytes || EXCLUDED.bytes
    WHERE octet_length(segment.bytes) = $2::int
    RETURNING octet_length(bytes) AS length`,
};

/** The request history in PostgreSQL: a row for each segment. */
export class PostgresRequestSegments implements RequestSegments {
  /** An append writes the whole row again. */
  readonly segmentSize = 128 * 1024;
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async append(id: string, length: number, { bytes, count, oldest, newest }: Batch): Promise<number> {
    const text = Buffer.from(bytes).toString("base64");
    const times = [Math.trunc(oldest), Math.trunc(newest)];
    const [row] = await this.#database.query(APPEND, [id, length, count, ...times, text]);
    return row === undefined ? length + bytes.length : Number(row.length);
  }

  async list(): Promise<SegmentSummary[]> {
    const rows = await this.#database.all("SELECT id, count, oldest, newest FROM petstore.request_segments");
    return rows.map(({ id, count, oldest, newest }) => ({
      id: id ?? "",
      count: Number(count),
      oldest: Number(oldest),
      newest: Number(newest),
    }));
  }

  async read(id: string): Promise<Uint8Array | undefined> {
    const row = await this.#database.first(
      "SELECT encode(bytes, 'base64') AS text FROM petstore.request_segments WHERE id = :id",
      { id },
    );
    return row?.text == null ? undefined : Buffer.from(row.text, "base64");
  }

  async delete(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await this.#database.query(DELETE, [ids]);
  }
}

const DELETE: Statement = {
  name: "petstore_delete_requests",
  text: "DELETE FROM petstore.request_segments WHERE id = ANY($1::text[])",
};

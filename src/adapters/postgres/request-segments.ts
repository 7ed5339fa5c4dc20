import type { RequestSegments } from "../../domain/requests.ts";
import type { Database } from "./database.ts";

/** Of a repeated write the server may have committed the first: the segment is longer then, and nothing changes. */
const APPEND = `INSERT INTO petstore.request_segments AS segment (id, count, oldest, newest, bytes)
  VALUES ($1, $3::bigint, $4::bigint, $5::bigint, decode($6, 'base64'))
  ON CONFLICT (id) DO UPDATE SET count = segment.count + EXCLUDED.count,
    oldest = least(segment.oldest, EXCLUDED.oldest), newest = greatest(segment.newest, EXCLUDED.newest),
    bytes = segment.bytes || EXCLUDED.bytes
  WHERE octet_length(segment.bytes) = $2::int
  RETURNING octet_length(bytes) AS length`;
const DELETE = "DELETE FROM petstore.request_segments WHERE id = ANY($1::text[])";

/** The request history in PostgreSQL: a row for each segment. */
export function postgresRequestSegments(database: Database): RequestSegments {
  return {
    /** An append writes the whole row again. */
    segmentSize: 128 * 1024,
    async append(id, length, { bytes, count, oldest, newest }) {
      const text = Buffer.from(bytes).toString("base64");
      const times = [Math.trunc(oldest), Math.trunc(newest)];
      const [row] = await database.query(APPEND, [id, length, count, ...times, text]);
      return row === undefined ? length + bytes.length : Number(row.length);
    },
    async list() {
      const rows = await database.all("SELECT id, count, oldest, newest FROM petstore.request_segments");
      return rows.map(({ id, count, oldest, newest }) => ({
        id: id ?? "",
        count: Number(count),
        oldest: Number(oldest),
        newest: Number(newest),
      }));
    },
    async read(id) {
      const text = "SELECT encode(bytes, 'base64') AS text FROM petstore.request_segments WHERE id = :id";
      const row = await database.first(text, { id });
      return row?.text == null ? undefined : Buffer.from(row.text, "base64");
    },
    async delete(ids) {
      if (ids.length > 0) await database.query(DELETE, [ids]);
    },
  };
}

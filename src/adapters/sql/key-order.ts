import type { KeysPage, Position } from "../../domain/keys/listing.ts";
import type { Conditions } from "./conditions.ts";

export type Order = KeysPage["order"];

/** How an order reads its index. `slices`: the columns at which it is cut. */
export const directions = {
  newest: { orderBy: "ORDER BY created_at DESC, id DESC", after: "<", until: ">=", slices: ["created_at"] },
  oldest: { orderBy: "ORDER BY created_at, id", after: ">", until: "<=", slices: ["created_at"] },
  owner: {
    orderBy: "ORDER BY owner_key, created_at, id",
    after: ">",
    until: "<=",
    slices: ["owner_key", "created_at"],
  },
} as const satisfies Record<Order, object>;

/** The keys after a position, or all. By owner, a position is where its key is now. */
export function startOf(order: Order, position: Position | undefined): Conditions {
  if (position === undefined) return { texts: [], values: {} };
  const { createdAt, id } = position;
  const [columns, start] =
    order === "owner"
      ? ["owner_key, created_at, id", "(SELECT owner_key FROM petstore.keys WHERE id = :startId), :startAt, :startId"]
      : ["created_at, id", ":startAt, :startId"];
  return {
    texts: [`(${columns}) ${directions[order].after} (${start})`],
    values: { startAt: createdAt, startId: id },
  };
}

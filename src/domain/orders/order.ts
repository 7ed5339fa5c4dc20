import { z } from "zod";
import { INT64_MAX, INT64_MIN } from "../int64.ts";
import { reference } from "../reference.ts";
import { timestampOf } from "../timestamp.ts";

/** docs/interface.md, Orders: OrderStatus. */
export const OrderStatus = z
  .enum(["placed", "approved", "delivered", "cancelled"], {
    error: (issue) =>
      issue.input === undefined ? "is required" : "must be one of placed, approved, delivered, cancelled",
  })
  .meta({ id: "OrderStatus", description: "Where an order stands.", examples: ["placed"] });
export type OrderStatus = z.infer<typeof OrderStatus>;

const petId = {
  type: "integer",
  format: "int64",
  examples: [1],
} as const;

/** docs/interface.md, Orders: the body that places an order. Unknown fields are ignored. */
export const NewOrder = z
  .object(
    {
      petId: z
        .bigint({
          error: (issue) =>
            issue.input === undefined ? "is required" : `must be an integer from ${INT64_MIN} to ${INT64_MAX}`,
        })
        .meta({ ...petId, minimum: INT64_MIN, maximum: INT64_MAX, description: "The id of an available pet." }),
    },
    { error: "must be a JSON object with petId" },
  )
  .meta({
    id: "NewOrder",
    description: "The request body that places an order. Unknown fields are ignored.",
    examples: [{ petId: 1 }],
  });
export type NewOrder = z.infer<typeof NewOrder>;

/** The text of a request that places an order. */
export function orderRequest(petId: bigint): string {
  return `placeOrder ${petId}`;
}

/** The body that changes an order. Unknown fields are ignored. */
export const OrderPatch = z
  .object({ status: reference(OrderStatus) }, { error: "must be a JSON object with status" })
  .meta({
    id: "OrderPatch",
    description: "The next status of an order. Unknown fields are ignored.",
    examples: [{ status: "approved" }],
  });
export type OrderPatch = z.infer<typeof OrderPatch>;

const id = { type: "integer", format: "int64", minimum: 1, maximum: Number.MAX_SAFE_INTEGER, examples: [1] } as const;
const time = (description: string) => z.iso.datetime().meta({ description, examples: ["2026-12-02T10:00:00.000Z"] });

/** docs/interface.md, Orders: Order. */
export const Order = z
  .object({
    id: z.int().meta({ ...id, description: "Assigned by the service. Positive, increasing, below 2^53." }),
    petId: z.int().meta({ ...id, description: "The pet that was ordered. It may have been removed since." }),
    status: OrderStatus,
    createdAt: time("When the order was placed."),
    updatedAt: time("When the order last changed."),
  })
  .meta({
    id: "Order",
    description: "An order of one pet.",
    examples: [
      {
        id: 1,
        petId: 1,
        status: "placed",
        createdAt: "2026-12-02T10:00:00.000Z",
        updatedAt: "2026-12-02T10:00:00.000Z",
      },
    ],
  });

export const Orders = z.array(Order).meta({ id: "Orders", description: "Orders, by id, ascending." });

/** An order as it is stored. Times are Unix milliseconds; `version` is 1 at first, and grows by 1 with every change. */
export type StoredOrder = {
  id: number;
  petId: number;
  status: OrderStatus;
  createdAt: number;
  updatedAt: number;
  version: number;
};

/** The example order of the document. */
export const exampleOrder = {
  id: 1,
  petId: 1,
  status: "placed",
  createdAt: "2026-12-02T10:00:00.000Z",
  updatedAt: "2026-12-02T10:00:00.000Z",
} satisfies z.infer<typeof Order>;

/** An order for JSON.stringify. */
export function orderJson({ id, petId, status, createdAt, updatedAt }: StoredOrder): z.infer<typeof Order> {
  return { id, petId, status, createdAt: timestampOf(createdAt), updatedAt: timestampOf(updatedAt) };
}

import { useState } from "preact/hooks";
import { orderTransitions } from "../../../src/domain/transitions.ts";
import type { Tagged } from "../api/call.ts";
import type { Order } from "../api/responses.ts";
import { Button } from "../components/button.tsx";
import { ChangeOrder, type NextStatus, verbOf } from "./change-order.tsx";

/** The actions that the status of an order allows. */
export function OrderActions({ of: order, onDone }: { of: Tagged<Order>; onDone: () => void }) {
  const [open, setOpen] = useState<NextStatus>();
  return (
    <>
      {orderTransitions[order.value.status].map((status) => (
        <Button key={status} kind={status === "cancelled" ? "danger" : "primary"} onClick={() => setOpen(status)}>
          {verbOf(status)}
        </Button>
      ))}
      {open !== undefined && <ChangeOrder of={order} to={open} onClose={() => setOpen(undefined)} onDone={onDone} />}
    </>
  );
}

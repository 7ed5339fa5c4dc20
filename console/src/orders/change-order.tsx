import { orderTransitions } from "../../../src/domain/transitions.ts";
import type { Tagged } from "../api/call.ts";
import { useAction, useConditionalChange } from "../api/hooks.ts";
import type { Order } from "../api/responses.ts";
import { Button } from "../components/button.tsx";
import { Dialog } from "../components/dialog.tsx";
import { Form } from "../components/form.tsx";

export type NextStatus = (typeof orderTransitions)[Order["status"]][number];

/** How an order gets each status: the verb, and what becomes of its pet. */
const changes: Record<NextStatus, { verb: string; effect: string }> = {
  approved: { verb: "Approve", effect: "The pet stays reserved. An approved order can be delivered or cancelled." },
  delivered: { verb: "Deliver", effect: "The pet becomes sold. A delivered order cannot be changed any more." },
  cancelled: {
    verb: "Cancel",
    effect: "The pet becomes available again. A cancelled order cannot be changed any more.",
  },
};

export const verbOf = (status: NextStatus): string => changes[status].verb;

type ChangeOrderProps = { of: Tagged<Order>; to: NextStatus; onClose: () => void; onDone: () => void };

export function ChangeOrder({ of: order, to, onClose, onDone }: ChangeOrderProps) {
  const action = useAction();
  const { verb, effect } = changes[to];
  const { id } = order.value;
  const change = useConditionalChange<Order>(`/orders/${id}`, order);
  const submit = async () => {
    await change.send("PATCH", { status: to });
    onDone();
    onClose();
  };
  if (!orderTransitions[change.seen.status].some((status) => status === to)) {
    return (
      <Dialog title={`Order ${id} cannot be ${to} any more`} onClose={onClose}>
        <div class="fields">
          <p class="note" role="alert">
            The order is now <strong>{change.seen.status}</strong>.
          </p>
        </div>
        <footer>
          <Button onClick={onClose}>Back</Button>
        </footer>
      </Dialog>
    );
  }
  return (
    <Dialog title={`${verb} order ${id}?`} onClose={onClose}>
      <Form
        action={action}
        submitLabel={`${verb} order`}
        dismissLabel="Back"
        isDangerous={to === "cancelled"}
        onSubmit={submit}
      >
        {change.isNewer && (
          <p class="note">
            The order is now <strong>{change.seen.status}</strong>.
          </p>
        )}
        <p>{effect}</p>
      </Form>
    </Dialog>
  );
}

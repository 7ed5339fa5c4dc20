import type { ComponentChildren } from "preact";
import { useAction } from "../api/action.ts";
import type { Tagged } from "../api/call.ts";
import { useConditionalChange } from "../api/conditional-change.ts";
import type { Int64 } from "../api/responses.ts";
import { leaveFor } from "../route.ts";
import { Dialog } from "./dialog.tsx";
import { Form } from "./form.tsx";

type RemoveDialogProps<T> = {
  of: Tagged<T>;
  /** The list that it is removed from. */
  list: "pets" | "categories";
  /** Renders the state that somebody else gave it while the dialog was open. */
  newer: (state: T) => ComponentChildren;
  children: ComponentChildren;
  onClose: () => void;
};

/** Removes something after a confirmation, then goes to its list. */
export function RemoveDialog<T extends { id: Int64; name: string }>(props: RemoveDialogProps<T>) {
  const { of, list, newer, children, onClose } = props;
  const { id, name } = of.value;
  const action = useAction();
  const change = useConditionalChange<T>(`/${list}/${id}`, of);
  const remove = async () => {
    await change.send("DELETE");
    onClose();
    leaveFor(list, `${name} was removed.`);
  };
  return (
    <Dialog title={`Remove ${name}?`} onClose={onClose}>
      <Form action={action} submitLabel={`Remove ${name}`} isDangerous onSubmit={remove}>
        {change.isNewer && newer(change.seen)}
        {children}
      </Form>
    </Dialog>
  );
}

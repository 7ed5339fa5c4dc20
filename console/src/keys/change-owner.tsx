import { useState } from "preact/hooks";
import { call } from "../api/call.ts";
import { useAction } from "../api/hooks.ts";
import type { Key } from "../api/responses.ts";
import { Dialog } from "../components/dialog.tsx";
import { Form } from "../components/form.tsx";
import type { KeyDialogProps } from "./key-dialog.ts";
import { OwnerFields, ownerInputOf, ownerOf } from "./owner-fields.tsx";

export function ChangeOwner({ of: key, onClose, onDone }: KeyDialogProps) {
  const [input, setInput] = useState(() => ownerInputOf(key));
  const action = useAction();
  const change = async () => onDone(await call<Key>("PATCH", `/keys/${key.id}`, ownerOf(input)));
  return (
    <Dialog title={`Change owner of ${key.name}`} onClose={onClose}>
      <Form action={action} submitLabel="Change owner" onSubmit={change}>
        <OwnerFields value={input} onChange={setInput} />
        <p class="hint">
          Keys with the same e-mail address belong to one owner; without one, those with the same name.
        </p>
      </Form>
    </Dialog>
  );
}

import { useState } from "preact/hooks";
import { call } from "../api/call.ts";
import { useAction } from "../api/hooks.ts";
import type { Key } from "../api/responses.ts";
import { Dialog } from "../components/dialog.tsx";
import { Form } from "../components/form.tsx";
import type { KeyDialogProps } from "./key-dialog.ts";
import { ScopesField } from "./scopes-field.tsx";

export function ChangeScopes({ of: key, onClose, onDone }: KeyDialogProps) {
  const [scopes, setScopes] = useState(key.scopes);
  const action = useAction();
  const change = async () => onDone(await call<Key>("PATCH", `/keys/${key.id}`, { scopes }));
  return (
    <Dialog title={`Change scopes of ${key.name}`} onClose={onClose}>
      <Form action={action} submitLabel="Change scopes" isDisabled={scopes.length === 0} onSubmit={change}>
        <ScopesField value={scopes} onChange={setScopes} />
        <p class="hint">Applies from the next request on.</p>
      </Form>
    </Dialog>
  );
}

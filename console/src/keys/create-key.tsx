import { useState } from "preact/hooks";
import { useAction } from "../api/action.ts";
import type { IssuedKey } from "../api/answers.ts";
import { call } from "../api/call.ts";
import { Dialog } from "../parts/dialog.tsx";
import { TextField } from "../parts/field.tsx";
import { Form } from "../parts/form.tsx";
import { SecretShown } from "../parts/secret-shown.tsx";
import { asExpiry, ExpiryField, type ExpiryInput } from "./expiry-field.tsx";
import { asPlan, PlanFields, type PlanInput } from "./plan-fields.tsx";
import { scopes } from "./words.ts";

export function CreateKey({ onClose, onCreated }: { onClose: () => void; onCreated: () => void }) {
  const [name, setName] = useState("");
  const [plan, setPlan] = useState<PlanInput>({ plan: "free", perMinute: "", perDay: "" });
  const [expiry, setExpiry] = useState<ExpiryInput>({ choice: "never", on: "" });
  const [chosen, setChosen] = useState<string[]>(scopes.map(([scope]) => scope));
  const [issued, setIssued] = useState<IssuedKey>();
  const action = useAction();

  const create = async () => {
    const expiresAt = asExpiry(expiry);
    const wanted = { name, ...asPlan(plan), scopes: chosen, ...(expiresAt === null ? {} : { expiresAt }) };
    setIssued(await call<IssuedKey>("POST", "/keys", wanted));
    onCreated();
  };
  if (issued !== undefined) {
    return (
      <Dialog title="Key created" onClose={onClose} isHeld>
        <SecretShown kind="secret" name={issued.key.name} secret={issued.secret} onClose={onClose} />
      </Dialog>
    );
  }
  return (
    <Dialog title="Create a key" onClose={onClose}>
      <Form action={action} verb="Create key" isDisabled={chosen.length === 0} onSubmit={create} onCancel={onClose}>
        <TextField
          label="Name"
          value={name}
          onInput={setName}
          maxLength={100}
          hint="Whose it is: a customer, an application."
        />
        <PlanFields value={plan} onChange={setPlan} />
        <fieldset class="checks">
          <legend>May</legend>
          {scopes.map(([scope, words]) => (
            <label key={scope}>
              <input
                type="checkbox"
                checked={chosen.includes(scope)}
                onChange={(event) =>
                  setChosen(
                    scopes
                      .map(([one]) => one)
                      .filter((one) => (one === scope ? event.currentTarget.checked : chosen.includes(one))),
                  )
                }
              />
              {words}
            </label>
          ))}
        </fieldset>
        <ExpiryField value={expiry} onChange={setExpiry} />
      </Form>
    </Dialog>
  );
}

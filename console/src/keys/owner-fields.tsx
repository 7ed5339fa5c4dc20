import type { Owner } from "../../../src/domain/keys/key.ts";
import type { Key } from "../api/responses.ts";
import { TextField } from "../components/form.tsx";

/** The owner and the note of a key in a form. An empty text is none. */
export type OwnerInput = { name: string; email: string; note: string };

export const NO_OWNER: OwnerInput = { name: "", email: "", note: "" };

export function ownerInputOf({ owner, note }: Key): OwnerInput {
  return { name: owner?.name ?? "", email: owner?.email ?? "", note: note ?? "" };
}

type OwnerFieldsProps = { value: OwnerInput; onChange: (value: OwnerInput) => void };

export function OwnerFields({ value, onChange }: OwnerFieldsProps) {
  return (
    <>
      <div class="pair">
        <TextField
          label="Owner"
          name="owner.name"
          required={false}
          value={value.name}
          onInput={(name) => onChange({ ...value, name })}
        />
        <TextField
          label="Owner's e-mail"
          name="owner.email"
          type="email"
          required={false}
          value={value.email}
          onInput={(email) => onChange({ ...value, email })}
        />
      </div>
      <TextField
        label="Note"
        name="note"
        required={false}
        value={value.note}
        onInput={(note) => onChange({ ...value, note })}
        hint="What you need to remember about the key."
      />
    </>
  );
}

/** The input as `owner` and `note` of the API: null for none. */
export function ownerOf({ name, email, note }: OwnerInput): { owner: Owner | null; note: string | null } {
  const owner = { ...(name !== "" && { name }), ...(email !== "" && { email }) };
  return { owner: Object.keys(owner).length === 0 ? null : owner, note: note === "" ? null : note };
}

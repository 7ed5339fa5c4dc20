import type { Pet } from "../api/responses.ts";

/** The state of a pet that somebody else has changed while a dialog was open. */
export function NewerPet({ pet: { name, categoryId, status } }: { pet: Pet }) {
  return (
    <p class="note">
      The pet is now <strong>{name}</strong>, category {categoryId}, <strong>{status}</strong>.
    </p>
  );
}

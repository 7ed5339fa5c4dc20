import type { Category } from "../api/responses.ts";

/** The state of a category that somebody else has changed while a dialog was open. */
export function NewerCategory({ category: { name } }: { category: Category }) {
  return (
    <p class="note">
      Its name is now <strong>{name}</strong>.
    </p>
  );
}

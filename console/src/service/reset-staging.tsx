import { useState } from "preact/hooks";
import { upload } from "../api/call.ts";
import { useAction } from "../api/hooks.ts";
import type { ShopContents } from "../api/responses.ts";
import { Button } from "../components/button.tsx";
import { Dialog } from "../components/dialog.tsx";
import { FileField, Form } from "../components/form.tsx";
import { pluralize } from "../format.ts";

/** Replaces everything that clients of staging see, after a confirmation. */
export function ResetStaging({ onClose }: { onClose: () => void }) {
  const action = useAction();
  const [file, setFile] = useState<File>();
  const [contents, setContents] = useState<ShopContents>();
  const reset = async () => setContents(await upload<ShopContents>("/staging/reset", file));
  if (contents !== undefined) return <Done contents={contents} onClose={onClose} />;
  return (
    <Dialog title="Reset staging?" onClose={onClose} isDismissible={!action.isPending}>
      <Form action={action} submitLabel="Reset staging" isDangerous onSubmit={reset}>
        <p>
          All pets, categories and orders are removed, and sample ones take their place at once. Keys, usage and the
          audit log stay. <strong>This cannot be undone.</strong>
        </p>
        <FileField
          label="Pets of a file instead"
          hint="Optional: NDJSON or CSV, as for an import of pets, with at most 10,000 pets. They come without orders."
          isDisabled={action.isPending}
          onChange={setFile}
        />
      </Form>
    </Dialog>
  );
}

function Done({ contents: { pets, categories, orders, firstPetId }, onClose }: DoneProps) {
  return (
    <Dialog title="Staging was reset" onClose={onClose}>
      <p>
        It has {pluralize(pets, "pet")}
        {firstPetId !== null && ` from id ${firstPetId} on`}, {pluralize(categories, "category", "categories")} and{" "}
        {pluralize(orders, "order")}.
      </p>
      <footer>
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      </footer>
    </Dialog>
  );
}

type DoneProps = { contents: ShopContents; onClose: () => void };

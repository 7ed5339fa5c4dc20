import { useState } from "preact/hooks";
import { withQuery } from "../api/call.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { SelectField } from "../parts/field.tsx";
import type { DialogProps } from "./create-pet.tsx";

const formats = [
  ["ndjson", "NDJSON, a pet a line"],
  ["csv", "CSV, for spreadsheets"],
] as const;

/** The catalogue as a file, which the browser takes down as it comes. */
export function ExportPets({ status, onClose }: DialogProps) {
  const [format, setFormat] = useState<(typeof formats)[number][0]>("ndjson");
  return (
    <Dialog title={status === "" ? "Export all pets" : `Export pets that are ${status}`} onClose={onClose}>
      <div class="fields">
        <SelectField label="Format" value={format} options={formats} onChoose={setFormat} />
      </div>
      <footer>
        <Button onClick={onClose}>Cancel</Button>
        <a
          class="button primary"
          download
          href={`/admin/v1${withQuery("/pets/export", { format, status })}`}
          onClick={() => setTimeout(onClose)}
        >
          Export
        </a>
      </footer>
    </Dialog>
  );
}

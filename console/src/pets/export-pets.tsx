import { useState } from "preact/hooks";
import { withQuery } from "../api/call.ts";
import { Button } from "../components/button.tsx";
import { Dialog } from "../components/dialog.tsx";
import { SelectField } from "../components/field.tsx";
import type { PetDialogProps } from "./pet-dialog.ts";

const formats = [
  ["ndjson", "NDJSON, one pet per line"],
  ["csv", "CSV, for spreadsheets"],
] as const;

/** Downloads the pets, or those of the filtered status, as a file. */
export function ExportPets({ status, onClose }: PetDialogProps) {
  const [format, setFormat] = useState<(typeof formats)[number][0]>("ndjson");
  return (
    <Dialog title={status === "" ? "Export all pets" : `Export ${status} pets`} onClose={onClose}>
      <div class="fields">
        <SelectField label="Format" value={format} options={formats} onChange={setFormat} />
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

import { useState } from "preact/hooks";
import { withQuery } from "../api/call.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { SelectField } from "./field.tsx";

const formats = [
  ["ndjson", "NDJSON, one object per line"],
  ["csv", "CSV, for spreadsheets"],
] as const;

type ExportDialogProps = {
  title: string;
  /** The path of the API that returns the file, and its parameters; "" for none. */
  path: string;
  parameters: Record<string, string>;
  onClose: () => void;
};

/** Downloads a file in the chosen format. */
export function ExportDialog({ title, path, parameters, onClose }: ExportDialogProps) {
  const [format, setFormat] = useState<(typeof formats)[number][0]>("ndjson");
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="fields">
        <SelectField label="Format" value={format} options={formats} onChange={setFormat} />
      </div>
      <footer>
        <Button onClick={onClose}>Cancel</Button>
        <a
          class="button primary"
          download
          href={`/admin/v1${withQuery(path, { format, ...parameters })}`}
          onClick={() => setTimeout(onClose)}
          // It looks like a button: Space works as on one.
          onKeyDown={(event) => {
            if (event.key !== " ") return;
            event.preventDefault();
            event.currentTarget.click();
          }}
        >
          Export
        </a>
      </footer>
    </Dialog>
  );
}

import { ExportDialog } from "../components/dialogs.tsx";
import type { CatalogueDialogProps } from "./catalogue-dialog.ts";

/** Downloads the pets, or those of the filtered status, as a file. */
export function ExportPets({ status, onClose }: CatalogueDialogProps) {
  const title = status === "" ? "Export all pets" : `Export ${status} pets`;
  return <ExportDialog title={title} path="/pets/export" parameters={{ status }} onClose={onClose} />;
}

import type { Backup, BackupJob } from "../api/responses.ts";

export const placeLabels: Record<Backup["place"], string> = { directory: "Directory", s3: "Bucket" };

export function jobLabel({ kind, place }: BackupJob): string {
  if (kind === "backup") return "Making a backup…";
  return place === "s3" ? "Downloading and verifying a backup…" : "Verifying a backup…";
}

import { BackupPath, backupEntry, requireBackups } from "../backup.ts";
import { paced, streamed } from "../streamed.ts";
import { operation } from "./operation.ts";

const TYPE = "application/vnd.sqlite3";
/** Every SQLite database begins with it. */
const START = "SQLite format 3\0";

/** GET /backups/{place}/{name} */
export const downloadBackup = operation({
  id: "downloadBackup",
  method: "get",
  path: "/backups/{place}/{name}",
  role: "admin",
  tag: "backups",
  summary: "Download a backup",
  description:
    "Returns the file, which `petstore database restore` takes. It contains all pets, and the hashes of keys.",
  request: { params: BackupPath },
  answers: { 200: { description: "The file, a SQLite database.", types: [TYPE], examples: { [TYPE]: START } } },
  refusals: ["backup_not_found", "invalid_state"],
  handle:
    (services) =>
    async ({ params, context }) => {
      const { place, name } = params;
      const { bytes, chunks } = await requireBackups(services).open(place, name);
      await services.audit.append(backupEntry(context, "backup.download", services.clock(), params));
      const headers = {
        ...context.headers,
        "Content-Type": TYPE,
        "Content-Length": String(bytes),
        "Content-Disposition": `attachment; filename="${name}"`,
      };
      return new Response(streamed(paced(chunks)), { headers });
    },
});

import { BackupJob, backupEntry, jobJson, requireBackups } from "../backup.ts";
import { json } from "../request-context.ts";
import { operation } from "./operation.ts";

/** POST /backups */
export const createBackup = operation({
  id: "createBackup",
  method: "post",
  path: "/backups",
  role: "admin",
  tag: "backups",
  summary: "Back up now",
  description: `Begins a backup, and does not wait for it: \`GET /backups\` shows when it has ended, or why it failed. It is
checked, copied to the bucket if there is one, and stays until you delete its file.`,
  answers: { 202: { description: "The backup is under way.", schema: BackupJob } },
  refusals: ["invalid_state"],
  handle:
    (services) =>
    async ({ context }) => {
      const job = requireBackups(services).start();
      await services.audit.append(backupEntry(context, "backup.create", services.clock()));
      return json(context, 202, jobJson(job));
    },
});

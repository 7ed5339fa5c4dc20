import { BackupJob, BackupPath, backupEntry, jobJson, requireBackups } from "../backup.ts";
import { json } from "../request-context.ts";
import { operation } from "./operation.ts";

/** POST /backups/{place}/{name}/verify */
export const verifyBackup = operation({
  id: "verifyBackup",
  method: "post",
  path: "/backups/{place}/{name}/verify",
  role: "admin",
  tag: "backups",
  summary: "Verify a backup",
  description: `Begins to read a whole backup and to look for damage, and does not wait for it: \`verifiedAt\` and \`problem\` in
\`GET /backups\` have the result. One in the bucket is downloaded.`,
  request: { params: BackupPath },
  answers: { 202: { description: "The verification is under way.", schema: BackupJob } },
  refusals: ["backup_not_found", "invalid_state"],
  handle:
    (services) =>
    async ({ params, context }) => {
      const job = await requireBackups(services).verify(params.place, params.name);
      await services.audit.append(backupEntry(context, "backup.verify", services.clock(), params));
      return json(context, 202, jobJson(job));
    },
});

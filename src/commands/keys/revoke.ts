import { Command } from "commander";
import { formatTime } from "../time.ts";
import { changeKey } from "./change.ts";
import { ID_ARGUMENT, JSON_OPTION } from "./options.ts";

export function revokeCommand(): Command {
  return new Command("revoke")
    .description("Revoke a key permanently. Every further request with it is refused.")
    .argument(...ID_ARGUMENT)
    .option(...JSON_OPTION)
    .addHelpText("after", "\nExample:\n  petstore keys revoke key_4kTn0aWq7JbYcX2z")
    .action((id: string, options: { json?: boolean }) =>
      changeKey(id, options, async (administration, now) => {
        const { name, revokedAt = now } = await administration.revoke(id, now);
        return revokedAt === now
          ? `Key ${id}, "${name}", is revoked.`
          : `Key ${id}, "${name}", was revoked at ${formatTime(revokedAt)}.`;
      }),
    );
}

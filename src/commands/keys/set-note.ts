import { Command } from "commander";
import { changeKey } from "./change.ts";
import { ID_ARGUMENT, JSON_OPTION, parseNote } from "./options.ts";

type Options = { remove?: boolean; json?: boolean };

export function setNoteCommand(): Command {
  return new Command("set-note")
    .description("Give a key another note, or none.")
    .argument(...ID_ARGUMENT)
    .argument("[note]", "what you need to remember about the key", parseNote)
    .option("--remove", "the key has no note any more")
    .option(...JSON_OPTION)
    .addHelpText("after", EXAMPLES)
    .action(setNote);
}

const EXAMPLES = `
Examples:
  petstore keys set-note key_4kTn0aWq7JbYcX2z "Contract 4711"
  petstore keys set-note key_4kTn0aWq7JbYcX2z --remove`;

async function setNote(id: string, note: string | undefined, options: Options, command: Command): Promise<void> {
  if ((note === undefined) !== (options.remove ?? false)) command.error("error: either a note or --remove is required");
  await changeKey(id, options, async (administration, now) => {
    const { name } = await administration.update(id, { note: note ?? null }, now);
    return `Key ${id}, "${name}", ${note === undefined ? "has no note" : "has this note"} now.`;
  });
}

import { Command } from "commander";
import type { Scope } from "../../domain/keys/key.ts";
import type { Owner } from "../../domain/keys/owner.ts";
import type { Plan } from "../../domain/limits/plans.ts";
import { parseLifetime } from "../duration.ts";
import { CREATE_OPTION, withStores } from "../stores.ts";
import {
  JSON_OPTION,
  type LimitOptions,
  limitOptions,
  limitsOf,
  parseName,
  parseNote,
  parseOwnerArgument,
  planOption,
  scopesOption,
} from "./options.ts";
import { printSecret } from "./print-secret.ts";

type Options = LimitOptions & {
  name: string;
  owner?: Owner;
  note?: string;
  plan: Plan;
  scopes: Scope[];
  expires?: number;
  create?: boolean;
  json?: boolean;
};

export function createCommand(): Command {
  const [perMinute, perDay] = limitOptions();
  return new Command("create")
    .description("Create a key and print its secret. It is shown only once.")
    .requiredOption("--name <text>", "a label for the key", parseName)
    .option("--owner <owner>", "who uses the key: a name, an e-mail address, or both", parseOwnerArgument)
    .option("--note <text>", "what you need to remember about the key", parseNote)
    .addOption(planOption().makeOptionMandatory())
    .addOption(perMinute)
    .addOption(perDay)
    .addOption(scopesOption())
    .option("--expires <duration>", "lifetime, such as 12h or 90d (default: no expiry)", parseLifetime)
    .option(...CREATE_OPTION)
    .option(...JSON_OPTION)
    .addHelpText("after", EXAMPLES)
    .action(create);
}

const EXAMPLES = `
Examples:
  petstore keys create --name "My app" --plan free
  petstore keys create --name Reports --plan pro --scopes pets:read --json
  petstore keys create --name "A test" --plan free --expires 90d
  petstore keys create --name Till --plan pro --owner "Ada <ada@example.org>"
  petstore keys create --name Partner --plan enterprise \\
    --per-minute 5000 --per-day 1000000`;

async function create(options: Options, command: Command): Promise<void> {
  const { name, owner, note, plan, scopes, json } = options;
  const limits = limitsOf(plan, options, command);
  await withStores(options, async ({ keyAdministration, config }) => {
    const now = Date.now();
    const expiresAt = options.expires === undefined ? undefined : now + options.expires;
    const issued = await keyAdministration.create({ name, owner, note, plan, limits, scopes, expiresAt }, now);
    printSecret({ issued, baseUrl: config.baseUrls[config.deployment] }, json);
  });
}

import { Argument, Command, InvalidArgumentError, Option } from "commander";
import type { Issued, KeyAdministration } from "../../domain/keys/administration.ts";
import { type Owner, ownerText, type Scope } from "../../domain/keys/key.ts";
import { MAX_REQUESTS, MAX_SEED, scheduleText } from "../../domain/keys/simulation.ts";
import { keyJson } from "../../domain/keys/store.ts";
import { type Plan, plans } from "../../domain/limits/limits.ts";
import { readSimulation, simulationText } from "../../domain/simulation.ts";
import { timestampOf } from "../../domain/time.ts";
import { integer, parseDuration, parseLifetime } from "../options.ts";
import { count, formatTime, print } from "../output.ts";
import { COMMAND } from "../program.ts";
import { CREATE_OPTION, withExistingStores, withStores } from "../stores.ts";
import {
  ID_ARGUMENT,
  JSON_OPTION,
  keyNotFound,
  type LimitOptions,
  limitOptions,
  limitsOf,
  parseName,
  parseNote,
  parseOwnerArgument,
  parseScopes,
  planOption,
  scopesOption,
} from "./options.ts";
import { withLimitStatus } from "./show.ts";

type ChangeOptions = { json?: boolean | undefined };

/** Changes a key, and prints the sentence that `change` returns, or the changed key as JSON. */
async function changeKey(
  id: string,
  { json }: ChangeOptions,
  change: (administration: KeyAdministration, now: number) => Promise<string>,
): Promise<void> {
  await withExistingStores(async (stores) => {
    const sentence = await change(stores.keyAdministration, Date.now());
    const found = await stores.keys.get(id);
    if (found === undefined) throw keyNotFound(id);
    const now = Date.now();
    // The sentence says nothing of limits: a key can be revoked while Redis is away.
    const value = json && keyJson(await withLimitStatus(stores, found, now), now);
    print(json, value, () => sentence);
  });
}

/** A new secret, and where to use it. `remark`: a sentence about earlier secrets. */
type NewSecret = { issued: Issued; baseUrl: string; remark?: string };

/** Prints a new secret, which is shown only once, and how to use it. */
function printSecret({ issued, baseUrl, remark }: NewSecret, isJson?: boolean): void {
  const { key, secret } = issued;
  const { id, name, plan, createdAt, expiresAt } = key;
  const value = { id, key: secret, name, plan, createdAt: timestampOf(createdAt), expiresAt: timestampOf(expiresAt) };
  const { perMinute, perDay } = key.limits;
  print(
    isJson,
    value,
    () => `
  ${secret}

  This is key ${id}, "${name}", on the ${plan} plan:
  ${count(perMinute, ["request", "requests"])} per minute, ${perDay.toLocaleString("en")} per day.
  The secret is shown only once: store it safely.
  The key ${expiresAt === undefined ? "never expires" : `expires at ${formatTime(expiresAt)}`}.${remark === undefined ? "" : `\n  ${remark}`}

  Try it:

    curl -H "Authorization: Bearer ${secret}" ${baseUrl}/pets
`,
  );
}

/** The default grace period of the old secret: 24 h, in ms. */
const DEFAULT_GRACE = 86_400_000;

export function rotateCommand(): Command {
  return new Command("rotate")
    .description("Give a key a new secret and print it. The old one works for a grace period; limits and counts stay.")
    .argument(...ID_ARGUMENT)
    .option("--grace <duration>", "grace period of the old secret, such as 24h; 0s ends it now", parseDuration)
    .option(...JSON_OPTION)
    .addHelpText(
      "after",
      "\nThe default grace period is 24h.\n\nExample:\n  petstore keys rotate key_4kTn0aWq7JbYcX2z --grace 1h",
    )
    .action(rotate);
}

async function rotate(id: string, { grace = DEFAULT_GRACE, json }: { grace?: number; json?: boolean }): Promise<void> {
  await withExistingStores(async ({ keyAdministration, config }) => {
    const now = Date.now();
    const issued = await keyAdministration.rotate(id, grace, now);
    const end = Math.min(now + grace, issued.key.expiresAt ?? Infinity);
    const remark = grace === 0 ? "The old secret no longer works." : `The old secret works until ${formatTime(end)}.`;
    printSecret({ issued, baseUrl: config.baseUrls[config.deployment], remark }, json);
  });
}

type OwnerOptions = { remove?: boolean; json?: boolean };

export function setOwnerCommand(): Command {
  return new Command("set-owner")
    .description("Give a key another owner, or none.")
    .argument(...ID_ARGUMENT)
    .argument("[owner]", "a name, an e-mail address, or both", parseOwnerArgument)
    .option("--remove", "the key has no owner any more")
    .option(...JSON_OPTION)
    .addHelpText("after", OWNER_EXAMPLES)
    .action(setOwner);
}

const OWNER_EXAMPLES = `
Examples:
  petstore keys set-owner key_4kTn0aWq7JbYcX2z "Ada <ada@example.org>"
  petstore keys set-owner key_4kTn0aWq7JbYcX2z --remove`;

async function setOwner(id: string, owner: Owner | undefined, options: OwnerOptions, command: Command): Promise<void> {
  if ((owner === undefined) !== (options.remove ?? false))
    command.error("error: either an owner or --remove is required");
  await changeKey(id, options, async (administration, now) => {
    const { name } = await administration.update(id, { owner: owner ?? null }, now);
    return `Key ${id}, "${name}", ${owner === undefined ? "has no owner" : `belongs to ${ownerText(owner)}`} now.`;
  });
}

type CreateOptions = LimitOptions & {
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
    .addHelpText("after", CREATE_EXAMPLES)
    .action(create);
}

const CREATE_EXAMPLES = `
Examples:
  petstore keys create --name "My app" --plan free
  petstore keys create --name Reports --plan pro --scopes pets:read --json
  petstore keys create --name "A test" --plan free --expires 90d
  petstore keys create --name Till --plan pro --owner "Ada <ada@example.org>"
  petstore keys create --name Partner --plan enterprise \\
    --per-minute 5000 --per-day 1000000`;

async function create(options: CreateOptions, command: Command): Promise<void> {
  const { name, owner, note, plan, scopes, json } = options;
  const limits = limitsOf(plan, options, command);
  await withStores(options, async ({ keyAdministration, config }) => {
    const now = Date.now();
    const expiresAt = options.expires === undefined ? undefined : now + options.expires;
    const issued = await keyAdministration.create({ name, owner, note, plan, limits, scopes, expiresAt }, now);
    printSecret({ issued, baseUrl: config.baseUrls[config.deployment] }, json);
  });
}

type SimulateOptions = {
  answer?: string;
  next?: number;
  every?: number;
  percent?: number;
  seed?: number;
  end?: boolean;
  json?: boolean;
};

export function simulateCommand(): Command {
  return new Command("simulate")
    .description("Have requests of a key answered with a simulated answer, on staging. Replaces an earlier simulation.")
    .argument(...ID_ARGUMENT)
    .option("--answer <simulation>", "an error code, or another value of Petstore-Simulate", parseAnswer)
    .addOption(numberOption("--next <number>", "answer so many requests, from the next one on", 1, MAX_REQUESTS))
    .addOption(numberOption("--every <number>", "answer one in so many requests", 1, MAX_REQUESTS).conflicts("next"))
    .addOption(numberOption("--percent <number>", "answer this share", 1, 100).conflicts(["next", "every"]))
    .addOption(numberOption("--seed <number>", "selects the share's requests (default: 0)", 0, MAX_SEED))
    .addOption(new Option("--end", "end the simulation").conflicts(["answer", "next", "every", "percent", "seed"]))
    .option(...JSON_OPTION)
    .addHelpText("after", SIMULATE_EXAMPLES)
    .action(simulate);
}

const SIMULATE_EXAMPLES = `
Examples:
  petstore keys simulate key_4kTn0aWq7JbYcX2z \\
    --answer rate_limit_exceeded --next 3
  petstore keys simulate key_4kTn0aWq7JbYcX2z --answer delay=2000 --every 10
  petstore keys simulate key_4kTn0aWq7JbYcX2z \\
    --answer service_unavailable --percent 5 --seed 7
  petstore keys simulate key_4kTn0aWq7JbYcX2z --end`;

async function simulate(id: string, options: SimulateOptions, command: Command): Promise<void> {
  const { answer, next, every, percent, seed, end } = options;
  if (end) {
    return changeKey(id, options, async (administration, now) => {
      const { name } = await administration.endSimulation(id, now);
      return `Requests of key ${id}, "${name}", are answered as they are.`;
    });
  }
  if (answer === undefined) return command.error("error: --answer <simulation> or --end is required");
  if ((next ?? every ?? percent) === undefined) {
    return command.error("error: one of --next, --every and --percent is required");
  }
  if (seed !== undefined && percent === undefined) return command.error("error: --seed is for --percent only");
  return changeKey(id, options, async (administration, now) => {
    const { name } = await administration.simulate(id, { answer, next, every, percent, seed }, now);
    return `Key ${id}, "${name}", gets ${answer} for ${scheduleText({ next, every, percent, seed: seed ?? 0 })}.`;
  });
}

function numberOption(flags: string, description: string, min: number, max: number): Option {
  const parse = integer(BigInt(min), BigInt(max));
  return new Option(flags, description).argParser((text) => Number(parse(text)));
}

function parseAnswer(text: string): string {
  const simulation = readSimulation(text);
  if ("problem" in simulation) throw new InvalidArgumentError(`It ${simulation.problem}.`);
  return simulationText(simulation);
}

type NoteOptions = { remove?: boolean; json?: boolean };

export function setNoteCommand(): Command {
  return new Command("set-note")
    .description("Give a key another note, or none.")
    .argument(...ID_ARGUMENT)
    .argument("[note]", "what you need to remember about the key", parseNote)
    .option("--remove", "the key has no note any more")
    .option(...JSON_OPTION)
    .addHelpText("after", NOTE_EXAMPLES)
    .action(setNote);
}

const NOTE_EXAMPLES = `
Examples:
  petstore keys set-note key_4kTn0aWq7JbYcX2z "Contract 4711"
  petstore keys set-note key_4kTn0aWq7JbYcX2z --remove`;

async function setNote(id: string, note: string | undefined, options: NoteOptions, command: Command): Promise<void> {
  if ((note === undefined) !== (options.remove ?? false)) command.error("error: either a note or --remove is required");
  await changeKey(id, options, async (administration, now) => {
    const { name } = await administration.update(id, { note: note ?? null }, now);
    return `Key ${id}, "${name}", ${note === undefined ? "has no note" : "has this note"} now.`;
  });
}

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

export function disableCommand(): Command {
  return new Command("disable")
    .description("Refuse a key until it is enabled again.")
    .argument(...ID_ARGUMENT)
    .option(...JSON_OPTION)
    .addHelpText("after", "\nExample:\n  petstore keys disable key_4kTn0aWq7JbYcX2z")
    .action((id: string, options: { json?: boolean }) =>
      changeKey(id, options, async (administration, now) => {
        const { name } = await administration.update(id, { disabled: true }, now);
        return `Key ${id}, "${name}", is disabled. \`${COMMAND} keys enable ${id}\` enables it again.`;
      }),
    );
}

export function renameCommand(): Command {
  return new Command("rename")
    .description("Give a key another name.")
    .argument(...ID_ARGUMENT)
    .argument("<name>", "a label for the key", parseName)
    .option(...JSON_OPTION)
    .addHelpText("after", '\nExample:\n  petstore keys rename key_4kTn0aWq7JbYcX2z "My app"')
    .action((id: string, name: string, options: { json?: boolean }) =>
      changeKey(id, options, async (administration, now) => {
        await administration.update(id, { name }, now);
        return `Key ${id} is named "${name}" now.`;
      }),
    );
}

export function setScopesCommand(): Command {
  return new Command("set-scopes")
    .description("Give a key exactly these scopes.")
    .argument(...ID_ARGUMENT)
    .argument("<scopes>", "scopes, separated by commas", parseScopes)
    .option(...JSON_OPTION)
    .addHelpText("after", "\nExample:\n  petstore keys set-scopes key_4kTn0aWq7JbYcX2z pets:read")
    .action((id: string, scopes: Scope[], options: { json?: boolean }) =>
      changeKey(id, options, async (administration, now) => {
        const { name } = await administration.update(id, { scopes }, now);
        return `Key ${id}, "${name}", has the scopes ${scopes.join(", ")} now.`;
      }),
    );
}

export function unbanCommand(): Command {
  return new Command("unban")
    .description("Lift a key's ban and clear its strikes. Its counted requests stay counted.")
    .argument(...ID_ARGUMENT)
    .option(...JSON_OPTION)
    .addHelpText("after", "\nExample:\n  petstore keys unban key_4kTn0aWq7JbYcX2z")
    .action((id: string, options: { json?: boolean }) =>
      changeKey(id, options, async (administration, now) => {
        const { name } = await administration.unban(id, now);
        return `Key ${id}, "${name}", has no ban any more, and its strikes are cleared.`;
      }),
    );
}

export function endGraceCommand(): Command {
  return new Command("end-grace")
    .description("End the grace period of a rotated key now: only its newest secret works.")
    .argument(...ID_ARGUMENT)
    .option(...JSON_OPTION)
    .addHelpText("after", "\nExample:\n  petstore keys end-grace key_4kTn0aWq7JbYcX2z")
    .action((id: string, options: { json?: boolean }) =>
      changeKey(id, options, async (administration, now) => {
        await administration.endGrace(id, now);
        return `The earlier secrets of key ${id} no longer work.`;
      }),
    );
}

type PlanOptions = LimitOptions & { plan?: Plan; json?: boolean };

export function setPlanCommand(): Command {
  const [perMinute, perDay] = limitOptions();
  return new Command("set-plan")
    .description("Move a key to another plan immediately. Its counted requests stay counted.")
    .argument(...ID_ARGUMENT)
    .addArgument(new Argument("[plan]", "the plan, instead of --plan").choices(plans))
    .addOption(planOption())
    .addOption(perMinute)
    .addOption(perDay)
    .option(...JSON_OPTION)
    .addHelpText("after", PLAN_EXAMPLES)
    .action(setPlan);
}

const PLAN_EXAMPLES = `
Examples:
  petstore keys set-plan key_4kTn0aWq7JbYcX2z pro
  petstore keys set-plan key_4kTn0aWq7JbYcX2z enterprise \\
    --per-minute 5000 --per-day 1000000`;

async function setPlan(id: string, argument: Plan | undefined, options: PlanOptions, command: Command): Promise<void> {
  const plan = options.plan ?? argument;
  if (plan === undefined) command.error(`error: a plan is required: one of ${plans.join(", ")}`);
  if (argument !== undefined && argument !== plan)
    command.error("error: the argument and --plan are two different plans");
  const customLimits = limitsOf(plan, options, command);
  await changeKey(id, options, async (administration, now) => {
    const { name, limits } = await administration.update(id, { plan, limits: customLimits }, now);
    const minute = count(limits.perMinute, ["request", "requests"]);
    return `Key ${id}, "${name}", is on the ${plan} plan now: ${minute} per minute, ${limits.perDay.toLocaleString("en")} per day.`;
  });
}

export function enableCommand(): Command {
  return new Command("enable")
    .description("Accept a disabled key again.")
    .argument(...ID_ARGUMENT)
    .option(...JSON_OPTION)
    .addHelpText("after", "\nExample:\n  petstore keys enable key_4kTn0aWq7JbYcX2z")
    .action((id: string, options: { json?: boolean }) =>
      changeKey(id, options, async (administration, now) => {
        const { name } = await administration.update(id, { disabled: false }, now);
        return `Key ${id}, "${name}", is enabled.`;
      }),
    );
}

import { Argument, type Command, InvalidArgumentError, Option } from "commander";
import { type Issued, type KeyAdministration, keyVerbs } from "../domain/keys/administration.ts";
import {
  defaultScopes,
  isNote,
  keyNotFound,
  NOTE_RULE,
  type Owner,
  ownerText,
  type Scope,
  scopes,
} from "../domain/keys/key.ts";
import { DEFAULT_GRACE } from "../domain/keys/secret.ts";
import { MAX_REQUESTS, MAX_SCHEDULE_SEED, type ScheduleFields, scheduleText } from "../domain/keys/simulation.ts";
import { keyJson } from "../domain/keys/store.ts";
import { type Limits, MAX_LIMIT, type Plan, plans } from "../domain/limits/limits.ts";
import { readSimulation, simulationText } from "../domain/simulation.ts";
import { timestampOf } from "../domain/time.ts";
import { ID, list, parseOwnerArgument, show, withLimitStatus } from "./key-lists.ts";
import {
  defineCommand,
  defineGroup,
  type JsonOption,
  parseDuration,
  parseLifetime,
  parseName,
  parser,
  textParser,
  wholeNumber,
  wordsOf,
} from "./options.ts";
import { count, formatTime, print } from "./output.ts";
import { asRun, quoted } from "./program.ts";
import { CREATE_OPTION, defineStoreCommand, withExistingStores, withStores } from "./stores.ts";

const parseNote = textParser(isNote, NOTE_RULE);

/** Parses scopes, separated by commas, each at most once. */
const parseScopes = parser(
  (text) => {
    const named = wordsOf(text);
    const found = scopes.filter((scope) => named.includes(scope));
    return found.length === named.length ? found : undefined;
  },
  `must be one or more of ${scopes.join(", ")}, separated by commas`,
);

const parseLimit = wholeNumber(1, MAX_LIMIT);

/** A command that changes a key, which has at most one argument beside the id. */
type Verb<Value> = {
  name: string;
  description: string;
  argument?: { name: string; description: string; parse: (text: string) => Value };
  /** The argument may be left out with `--remove`: then there is no value. */
  removal?: { flag: string; noun: string };
  /** What follows the id. */
  examples?: string[];
  /** Changes the key at `now` (Unix ms). Returns a sentence about it. */
  change: (keys: KeyAdministration, request: { id: string; value: Value | undefined; now: number }) => Promise<string>;
};

type ChangeOptions = JsonOption & { remove?: boolean | undefined };

function verb<Value>({ name, description, argument, removal, examples = [""], change }: Verb<Value>) {
  const form = removal === undefined ? `<${argument?.name}>` : `[${argument?.name}]`;
  const run = (id: string, value: Value | undefined, options: ChangeOptions, command: Command) => {
    if (removal !== undefined && (value === undefined) !== (options.remove ?? false)) {
      command.error(`error: either ${removal.noun} or --remove is required`);
    }
    return changeKey(id, options, (keys, now) => change(keys, { id, value, now }));
  };
  const parts = {
    name,
    description,
    options: removal === undefined ? [] : [["--remove", removal.flag] as const],
    examples: examples.map((example) => `petstore keys ${name} key_4kTn0aWq7JbYcX2z ${example}`.trimEnd()),
  };
  if (argument === undefined) {
    const action = (id: string, options: ChangeOptions, command: Command) => run(id, undefined, options, command);
    return defineCommand({ ...parts, arguments: [ID], action });
  }
  return defineCommand({ ...parts, arguments: [ID, [form, argument.description, argument.parse]], action: run });
}

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

    curl -H "Authorization: Bearer ${secret}" ${quoted(`${baseUrl}/pets`)}
`,
  );
}

const rotate = defineStoreCommand({
  name: "rotate",
  description: "Give a key a new secret and print it. The old one works for a grace period; limits and counts stay.",
  arguments: [ID],
  options: [["--grace <duration>", "grace period of the old secret, such as 24h; 0s ends it now", parseDuration]],
  about: "The default grace period is 24h.",
  examples: ["petstore keys rotate key_4kTn0aWq7JbYcX2z --grace 1h"],
  action: async (stores, id: string, { grace = DEFAULT_GRACE, json }: JsonOption & { grace?: number }) => {
    const { keyAdministration, config } = stores;
    const now = Date.now();
    const issued = await keyAdministration.rotate(id, grace, now);
    const end = Math.min(now + grace, issued.key.expiresAt ?? Infinity);
    const remark = grace === 0 ? "The old secret no longer works." : `The old secret works until ${formatTime(end)}.`;
    printSecret({ issued, baseUrl: config.baseUrls[config.deployment], remark }, json);
  },
});

const LIMITS = [
  ["--per-minute <number>", "requests per minute (enterprise only)", parseLimit],
  ["--per-day <number>", "requests per day (enterprise only)", parseLimit],
] as const;
/** The options for custom limits, as commander parses them. */
type LimitOptions = { perMinute?: number; perDay?: number };

function planOption(): Option {
  return new Option("--plan <plan>", "the plan, with its limits").choices(plans);
}

type CreateOptions = JsonOption &
  LimitOptions & {
    name: string;
    owner?: Owner;
    note?: string;
    plan: Plan;
    scopes: Scope[];
    expires?: number;
    create?: boolean;
  };

const create = defineCommand({
  name: "create",
  description: "Create a key and print its secret. It is shown only once.",
  options: [
    new Option("--name <text>", "a label for the key").argParser(parseName).makeOptionMandatory(),
    ["--owner <owner>", "who uses the key: a name, an e-mail address, or both", parseOwnerArgument],
    ["--note <text>", "what you need to remember about the key", parseNote],
    planOption().makeOptionMandatory(),
    ...LIMITS,
    new Option("--scopes <scopes>", `some of ${scopes.join(", ")}`)
      .argParser(parseScopes)
      .default([...defaultScopes], "all but key:rotate"),
    ["--expires <duration>", "lifetime, such as 12h or 90d (default: no expiry)", parseLifetime],
    CREATE_OPTION,
  ],
  examples: [
    'petstore keys create --name "My app" --plan free',
    "petstore keys create --name Reports --plan pro --scopes pets:read --json",
    'petstore keys create --name "A test" --plan free --expires 90d',
    'petstore keys create --name Till --plan pro --owner "Ada <ada@example.org>"',
    "petstore keys create --name Partner --plan enterprise \\\n    --per-minute 5000 --per-day 1000000",
  ],
  action: async (options: CreateOptions, command: Command) => {
    const { name, owner, note, plan, scopes, json } = options;
    const limits = limitsOf(plan, options, command);
    await withStores(options, async ({ keyAdministration, config }) => {
      const now = Date.now();
      const expiresAt = options.expires === undefined ? undefined : now + options.expires;
      const issued = await keyAdministration.create({ name, owner, note, plan, limits, scopes, expiresAt }, now);
      printSecret({ issued, baseUrl: config.baseUrls[config.deployment] }, json);
    });
  },
});

type PlanOptions = JsonOption & LimitOptions & { plan?: Plan };

const setPlan = defineCommand({
  name: "set-plan",
  description: "Move a key to another plan immediately. Its counted requests stay counted.",
  arguments: [ID, new Argument("[plan]", "the plan, instead of --plan").choices(plans)],
  options: [planOption(), ...LIMITS],
  examples: [
    "petstore keys set-plan key_4kTn0aWq7JbYcX2z pro",
    "petstore keys set-plan key_4kTn0aWq7JbYcX2z enterprise \\\n    --per-minute 5000 --per-day 1000000",
  ],
  action: async (id: string, argument: Plan | undefined, options: PlanOptions, command: Command) => {
    const plan = options.plan ?? argument;
    if (plan === undefined) return command.error(`error: a plan is required: one of ${plans.join(", ")}`);
    if (argument !== undefined && argument !== plan) {
      command.error("error: the argument and --plan are two different plans");
    }
    const customLimits = limitsOf(plan, options, command);
    await changeKey(id, options, async (administration, now) => {
      const { name, limits } = await administration.update(id, { plan, limits: customLimits }, now);
      const minute = count(limits.perMinute, ["request", "requests"]);
      return `Key ${id}, "${name}", is on the ${plan} plan now: ${minute} per minute, ${limits.perDay.toLocaleString("en")} per day.`;
    });
  },
});

type SimulateOptions = JsonOption & ScheduleFields & { answer?: string; end?: boolean };

const simulate = defineCommand({
  name: "simulate",
  description: "Have requests of a key answered with a simulated answer, on staging. Replaces an earlier simulation.",
  arguments: [ID],
  options: [
    ["--answer <simulation>", "an error code, or another value of Petstore-Simulate", parseAnswer],
    numberOption("--next <number>", "answer so many requests, from the next one on", 1, MAX_REQUESTS),
    numberOption("--every <number>", "answer one in so many requests", 1, MAX_REQUESTS).conflicts("next"),
    numberOption("--percent <number>", "answer this share", 1, 100).conflicts(["next", "every"]),
    numberOption("--seed <number>", "selects the share's requests (default: 0)", 0, MAX_SCHEDULE_SEED),
    new Option("--end", "end the simulation").conflicts(["answer", "next", "every", "percent", "seed"]),
  ],
  examples: [
    "petstore keys simulate key_4kTn0aWq7JbYcX2z \\\n    --answer rate_limit_exceeded --next 3",
    "petstore keys simulate key_4kTn0aWq7JbYcX2z --answer delay=2000 --every 10",
    "petstore keys simulate key_4kTn0aWq7JbYcX2z \\\n    --answer service_unavailable --percent 5 --seed 7",
    "petstore keys simulate key_4kTn0aWq7JbYcX2z --end",
  ],
  action: async (id: string, options: SimulateOptions, command: Command) => {
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
  },
});

function numberOption(flags: string, description: string, min: number, max: number): Option {
  return new Option(flags, description).argParser(wholeNumber(min, max));
}

function parseAnswer(text: string): string {
  const simulation = readSimulation(text);
  if ("problem" in simulation) throw new InvalidArgumentError(`It ${simulation.problem}.`);
  return simulationText(simulation);
}

/** Returns the custom limits: both for the enterprise plan, undefined for the others. Anything else is a usage error. */
function limitsOf(plan: Plan, { perMinute, perDay }: LimitOptions, command: Command): Limits | undefined {
  if (plan !== "enterprise") {
    if (perMinute === undefined && perDay === undefined) return undefined;
    return command.error(
      `error: the ${plan} plan has fixed limits; --per-minute and --per-day are for enterprise only`,
    );
  }
  if (perMinute !== undefined && perDay !== undefined) return { perMinute, perDay };
  return command.error("error: the enterprise plan needs --per-minute <number> and --per-day <number>");
}

/** The commands of keys. Those that only change a key are a table. */
export const keysCommand = defineGroup(
  "keys",
  "Create, list, change and revoke API keys. A running service applies each change within a second.",
  [
    create,
    list,
    show,
    verb({
      name: "rename",
      description: "Give a key another name.",
      argument: { name: "name", description: "a label for the key", parse: parseName },
      examples: ['"My app"'],
      change: async (keys, { id, value: name, now }) => {
        await keys.update(id, { name }, now);
        return `Key ${id} is named "${name}" now.`;
      },
    }),
    verb({
      name: "set-owner",
      description: "Give a key another owner, or none.",
      argument: { name: "owner", description: "a name, an e-mail address, or both", parse: parseOwnerArgument },
      removal: { flag: "the key has no owner any more", noun: "an owner" },
      examples: ['"Ada <ada@example.org>"', "--remove"],
      change: async (keys, { id, value: owner, now }) => {
        const { name } = await keys.update(id, { owner: owner ?? null }, now);
        return `Key ${id}, "${name}", ${owner === undefined ? "has no owner" : `belongs to ${ownerText(owner)}`} now.`;
      },
    }),
    verb({
      name: "set-note",
      description: "Give a key another note, or none.",
      argument: { name: "note", description: "what you need to remember about the key", parse: parseNote },
      removal: { flag: "the key has no note any more", noun: "a note" },
      examples: ['"Contract 4711"', "--remove"],
      change: async (keys, { id, value: note, now }) => {
        const { name } = await keys.update(id, { note: note ?? null }, now);
        return `Key ${id}, "${name}", ${note === undefined ? "has no note" : "has this note"} now.`;
      },
    }),
    setPlan,
    verb({
      name: "set-scopes",
      description: "Give a key exactly these scopes.",
      argument: { name: "scopes", description: "scopes, separated by commas", parse: parseScopes },
      examples: ["pets:read"],
      change: async (keys, { id, value = [], now }) => {
        const { name } = await keys.update(id, { scopes: value }, now);
        return `Key ${id}, "${name}", has the scopes ${value.join(", ")} now.`;
      },
    }),
    rotate,
    verb({
      name: "disable",
      description: "Refuse a key until it is enabled again.",
      change: async (keys, { id, now }) => {
        const { name } = await keys.update(id, { disabled: true }, now);
        return `Key ${id}, "${name}", is disabled. ${asRun(`\`petstore keys enable ${id}\``)} enables it again.`;
      },
    }),
    verb({
      name: "enable",
      description: "Accept a disabled key again.",
      change: async (keys, { id, now }) => {
        const { name } = await keys.update(id, { disabled: false }, now);
        return `Key ${id}, "${name}", is enabled.`;
      },
    }),
    ...keyVerbs.map(({ name, help, change, outcome }) =>
      verb({
        name,
        description: help,
        change: async (keys, { id, now }) => {
          const key = await change(keys, id, now);
          return `Key ${id}, "${key.name}", ${outcome(key, now, formatTime)}.`;
        },
      }),
    ),
    simulate,
  ],
);

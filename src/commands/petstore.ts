import { Argument, Command } from "commander";
import manifest from "../../package.json" with { type: "json" };
import { writeTo } from "../adapters/files/write.ts";
import { deployments } from "../domain/deployment.ts";
import { misspeltVariables, variables } from "../wiring/config.ts";
import { ignoredByDemo } from "./options.ts";
import { asHelp } from "./program.ts";

/** The completions of a command: the words that may follow its path, and the choices of its options. */
type Completion = { path: string; words: string[]; values: [option: string, choices: readonly string[]][] };

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };

function completionCommand(): Command {
  return new Command("completion")
    .description("Print a shell script that completes commands, options and their values.")
    .addArgument(new Argument("<shell>", "the shell").choices(Object.keys(scripts)))
    .addHelpText("after", EXAMPLES)
    .action(completion);
}

const EXAMPLES = `
Examples:
  source <(petstore completion bash)
  source <(petstore completion zsh)
  petstore completion fish > ~/.config/fish/completions/petstore.fish`;

async function completion(shell: keyof typeof scripts, _: object, command: Command): Promise<void> {
  const root = command.parent ?? command;
  await writeTo(process.stdout, "standard output", [scripts[shell](completionsOf(root, root.name()))]);
}

function completionsOf(command: Command, path: string): Completion[] {
  const help = command.createHelp();
  const options = help.visibleOptions(command).map((option) => ({ ...option, name: option.long ?? "" }));
  const own: Completion = {
    path,
    words: [
      ...help.visibleCommands(command).map((subcommand) => subcommand.name()),
      ...command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
      ...options.map(({ name }) => name),
    ],
    values: options.filter(({ required }) => required).map(({ name, argChoices }) => [name, argChoices ?? []]),
  };
  return [own, ...command.commands.flatMap((subcommand) => completionsOf(subcommand, `${path} ${subcommand.name()}`))];
}

// Paths, options and choices contain no quotes or blanks, so they need no escaping in any shell.

function bashScript(commands: Completion[]): string {
  const words = commands.map(({ path, words }) => `    "${path}") words="${words.join(" ")}" ;;`);
  const values = commands.flatMap(({ path, values }) =>
    values.map(([option, choices]) => `    "${path} ${option}") words="${choices.join(" ")}" ;;`),
  );
  return `_petstore() {
  local path=petstore word words=
  for word in "\${COMP_WORDS[@]:1:$((COMP_CWORD - 1))}"; do
    case "$path $word" in
      ${commands.map(({ path }) => `"${path}"`).join(" | ")}) path="$path $word" ;;
    esac
  done
  case "$path" in
${words.join("\n")}
  esac
  case "$path \${COMP_WORDS[COMP_CWORD - 1]}" in
${values.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _petstore petstore
`;
}

function zshScript(commands: Completion[]): string {
  return `autoload -U +X compinit && compinit
autoload -U +X bashcompinit && bashcompinit
${bashScript(commands)}`;
}

function fishScript(commands: Completion[]): string {
  const rules = commands.flatMap(({ path, words, values }) => {
    const rule = `complete -c petstore -n '__petstore_at "${path}"'`;
    const completed = values.map(([option, choices]) => {
      const followed = choices.length === 0 ? "-r" : `-xa '${choices.join(" ")}'`;
      return `${rule} -l ${option.replace("--", "")} ${followed}`;
    });
    return [`${rule} -fa '${words.join(" ")}'`, ...completed];
  });
  return `function __petstore_at
  set -l path petstore
  for word in (commandline -opc)[2..]
    contains -- "$path $word" ${commands.map(({ path }) => `"${path}"`).join(" ")}; and set path "$path $word"
  end
  test "$path" = "$argv[1]"
end
${rules.join("\n")}
`;
}

/** `petstore help`, for subcommands too: commander's own looks no deeper than the first word. */
function helpCommand(): Command {
  return new Command("help")
    .description("Print the help of a command.")
    .argument("[command...]", "the command, such as orders approve")
    .addHelpText("after", "\nExample:\n  petstore help orders approve")
    .action(help);
}

function help(path: string[], _: object, command: Command): void {
  let found = command.parent ?? command;
  for (const name of path) {
    found =
      found.commands.find((subcommand) => subcommand.name() === name) ??
      command.error(`error: unknown command '${path.join(" ")}'`);
  }
  found.help();
}

/** The subcommands, in the order of the help. Each is loaded on demand: without the others, `serve` starts sooner. */
const subcommands: Record<string, () => Promise<Command>> = {
  serve: async () => (await import("./serve.ts")).serveCommand(),
  demo: async () => (await import("./demo.ts")).demoCommand(),
  health: async () => (await import("./health.ts")).healthCommand(),
  keys: async () => (await import("./keys.ts")).keysCommand(),
  operators: async () => (await import("./operators.ts")).operatorsCommand(),
  pets: async () => (await import("./pets.ts")).petsCommand(),
  categories: async () => (await import("./categories.ts")).categoriesCommand(),
  orders: async () => (await import("./orders.ts")).ordersCommand(),
  events: async () => (await import("./events.ts")).eventsCommand(),
  alerts: async () => (await import("./alerts.ts")).alertsCommand(),
  webhooks: async () => (await import("./webhooks.ts")).webhooksCommand(),
  usage: async () => (await import("./usage.ts")).usageCommand(),
  requests: async () => (await import("./requests.ts")).requestsCommand(),
  audit: async () => (await import("./audit.ts")).auditCommand(),
  database: async () => (await import("./database.ts")).databaseCommand(),
  staging: async () => (await import("./staging.ts")).stagingCommand(),
  openapi: async () => (await import("./openapi.ts")).openapiCommand(),
  completion: async () => completionCommand(),
  help: async () => helpCommand(),
};

/** These read the whole tree of commands. */
const OF_ALL = ["completion", "help"];

const HELP = `
Examples:
  petstore serve
  petstore demo
  petstore keys create --name "My app" --plan free
  petstore pets import samples/pets.ndjson
  petstore database backup backups/petstore.db

Configuration comes from environment variables: see docs/settings.md.`;

/**
 * The `petstore` command with the subcommand of this name; with all of them for another word, for the help and for
 * suggestions. They throw CommanderError instead of exiting.
 */
export async function petstoreCommand(name = "help"): Promise<Command> {
  const petstore = new Command("petstore")
    .description("The Petstore service and its administration.")
    .version(manifest.version, "--version", "print the version")
    .addHelpText("after", HELP)
    .hook("preAction", warnOfMisspeltVariables);
  const isOne = Object.hasOwn(subcommands, name) && !OF_ALL.includes(name);
  const needed = Object.entries(subcommands).filter(([other]) => other === name || !isOne);
  for (const subcommand of await Promise.all(needed.map(([, load]) => load()))) petstore.addCommand(subcommand);
  prepare(petstore);
  return petstore;
}

/** Warns once: a worker has the environment of its parent. Values may be secrets, and are not printed. */
function warnOfMisspeltVariables(_: Command, command: Command): void {
  if (command.getOptionValue("worker") === true) return;
  for (const { name, closest } of misspeltVariables(process.env)) {
    process.stderr.write(`petstore: ${name} is not a setting. Did you mean ${closest}?\n`);
  }
}

/** What commander prints names commands as the operator runs them, and the settings that were given as options. */
const outputOf = (command: Command) => ({
  writeOut: (text: string) => void process.stdout.write(asHelp(text)),
  writeErr: (text: string) => void process.stderr.write(asHelp(text)),
  outputError: (text: string, write: (text: string) => void) => write(withSettingHint(text, command)),
});

const UNKNOWN_OPTION = /^error: unknown option '--?([\w-]+).*\n/;
/** Other words for settings. */
const synonyms: Record<string, string> = {
  P: "PORT",
  DB: "DATABASE",
  ...Object.fromEntries(deployments.map((name) => [name.toUpperCase(), "DEPLOYMENT"])),
};

/** An error of commander with the option or the variable of a setting that was meant; commander itself knows similar words only. */
function withSettingHint(message: string, command: Command): string {
  const [error = "", given = ""] = UNKNOWN_OPTION.exec(message) ?? [];
  const word = given.replace(/(?<=[a-z])(?=[A-Z])|-/g, "_").toUpperCase();
  const name = synonyms[word] ?? word;
  const option = command.options.find(({ long }) => long === `--${name.toLowerCase()}`);
  if (option !== undefined) return `${error}(Did you mean ${option.long}?)\n`;
  const setting = [name, `PETSTORE_${name}`, `${name}_URL`, `OTEL_${name}`].find((one) =>
    variables.some((variable) => variable.name === one),
  );
  if (given === "" || setting === undefined) return message;
  if (command.name() === "demo" && ignoredByDemo.includes(setting))
    return `${error}A demo ignores the setting ${setting}.\n`;
  const value = name === "DEPLOYMENT" && name !== word ? `=${word.toLowerCase()}` : "";
  return `${error}It is a setting: set ${setting}${value} in the environment.\n`;
}

function prepare(command: Command): void {
  command.configureOutput(outputOf(command)).exitOverride().showHelpAfterError("(see --help)");
  for (const subcommand of command.commands) prepare(subcommand);
}

import { Argument, Command } from "commander";
import { writeTo } from "../adapters/files/write.ts";

/** The completions of a command: the words that may follow its path, and the choices of its options. */
type Completion = { path: string; words: string[]; values: [option: string, choices: readonly string[]][] };

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };

export function completionCommand(): Command {
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

/** Returns the completions of the command and all its subcommands. */
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

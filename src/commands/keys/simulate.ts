import { Command, InvalidArgumentError, Option } from "commander";
import { MAX_REQUESTS, MAX_SEED, scheduleText } from "../../domain/simulation/schedule.ts";
import { readSimulation, simulationText } from "../../domain/simulation/simulation.ts";
import { integer } from "../options.ts";
import { changeKey } from "./change.ts";
import { ID_ARGUMENT, JSON_OPTION } from "./options.ts";

type Options = {
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
    .addHelpText("after", EXAMPLES)
    .action(simulate);
}

const EXAMPLES = `
Examples:
  petstore keys simulate key_4kTn0aWq7JbYcX2z \\
    --answer rate_limit_exceeded --next 3
  petstore keys simulate key_4kTn0aWq7JbYcX2z --answer delay=2000 --every 10
  petstore keys simulate key_4kTn0aWq7JbYcX2z \\
    --answer service_unavailable --percent 5 --seed 7
  petstore keys simulate key_4kTn0aWq7JbYcX2z --end`;

async function simulate(id: string, options: Options, command: Command): Promise<void> {
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

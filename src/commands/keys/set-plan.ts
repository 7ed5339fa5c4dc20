import { Argument, Command } from "commander";
import { type Plan, plans } from "../../domain/limits/plans.ts";
import { count } from "../count.ts";
import { changeKey } from "./change.ts";
import { ID_ARGUMENT, JSON_OPTION, type LimitOptions, limitOptions, limitsOf, planOption } from "./options.ts";

type Options = LimitOptions & { plan?: Plan; json?: boolean };

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
    .addHelpText("after", EXAMPLES)
    .action(setPlan);
}

const EXAMPLES = `
Examples:
  petstore keys set-plan key_4kTn0aWq7JbYcX2z pro
  petstore keys set-plan key_4kTn0aWq7JbYcX2z enterprise \\
    --per-minute 5000 --per-day 1000000`;

async function setPlan(id: string, argument: Plan | undefined, options: Options, command: Command): Promise<void> {
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

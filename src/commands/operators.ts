import { Command, Option } from "commander";
import { operatorJson, type Role, roles } from "../domain/operators.ts";
import { tableOf, terminalWidth } from "./lists.ts";
import { JSON_OPTION, parseName } from "./options.ts";
import { formatDay, print } from "./output.ts";
import { asRun } from "./program.ts";
import { CREATE_OPTION, withExistingStores, withStores } from "./stores.ts";

type OperatorOptions = { name: string; role: Role; create?: boolean; json?: boolean };

function createCommand(): Command {
  return new Command("create")
    .description("Create an operator and print its token. It is shown only once.")
    .requiredOption("--name <text>", "the name of the operator", parseName)
    .addOption(
      new Option("--role <role>", "viewer reads everything, admin also changes it")
        .choices(roles)
        .makeOptionMandatory(),
    )
    .option(...CREATE_OPTION)
    .option(...JSON_OPTION)
    .addHelpText("after", '\nExample:\n  petstore operators create --name "Ada" --role admin')
    .action(createOperator);
}

async function createOperator({ name, role, create, json }: OperatorOptions): Promise<void> {
  await withStores({ create }, async ({ operatorAdministration }) => {
    const { operator, token } = await operatorAdministration.create(name, role, Date.now());
    print(
      json,
      { ...operatorJson(operator), token },
      () => `
  ${token}

  This is the token of ${operator.id}, "${name}", ${role}.
  It is shown only once: store it safely.
  Sign in to the console with it, or send it as Authorization: Bearer <TOKEN>.
`,
    );
  });
}

const HEAD = ["ID", "NAME", "ROLE", "CREATED", "STATUS"];
/** The column that is cut on a narrow terminal. */
const NAME = HEAD.indexOf("NAME");

function listCommand(): Command {
  return new Command("list")
    .description("List all operators, oldest first.")
    .option(...JSON_OPTION)
    .addHelpText("after", "\nExample:\n  petstore operators list --json | jq '.[] | select(.role == \"admin\") | .id'")
    .action(list);
}

async function list({ json }: { json?: boolean }): Promise<void> {
  await withExistingStores(async ({ operators }) => {
    const found = await operators.list();
    const rows = found.map(({ id, name, role, createdAt, revokedAt }) => [
      id,
      name,
      role,
      formatDay(createdAt),
      revokedAt === undefined ? "active" : `revoked ${formatDay(revokedAt)}`,
    ]);
    print(json, found.map(operatorJson), () =>
      rows.length === 0
        ? asRun('There are no operators. `petstore operators create --name "Ada" --role admin` creates one.')
        : tableOf([HEAD, ...rows], NAME, terminalWidth()),
    );
  });
}

function revokeCommand(): Command {
  return new Command("revoke")
    .description("Revoke an operator permanently. Its token and sessions are refused from now on.")
    .argument("<id>", "the operator's id, such as op_4kTn…: `petstore operators list` shows it")
    .option(...JSON_OPTION)
    .addHelpText("after", "\nExample:\n  petstore operators revoke op_4kTn0aWq7JbYcX2z")
    .action(revoke);
}

async function revoke(id: string, { json }: { json?: boolean }): Promise<void> {
  await withExistingStores(async ({ operatorAdministration }) => {
    const operator = await operatorAdministration.revoke(id, Date.now());
    print(json, operatorJson(operator), () => `Operator ${id}, "${operator.name}", is revoked.`);
  });
}

export function operatorsCommand(): Command {
  return new Command("operators")
    .description("Create, list and revoke operators of the administration interface and the console.")
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(revokeCommand());
}

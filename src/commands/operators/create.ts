import { Command, Option } from "commander";
import { operatorJson } from "../../domain/operators/json.ts";
import { type Role, roles } from "../../domain/operators/operator.ts";
import { JSON_OPTION, parseName } from "../keys/options.ts";
import { print } from "../print.ts";
import { CREATE_OPTION, withStores } from "../stores.ts";

type Options = { name: string; role: Role; create?: boolean; json?: boolean };

export function createCommand(): Command {
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

async function createOperator({ name, role, create, json }: Options): Promise<void> {
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

import { Option } from "commander";
import { operatorJson, type Role, roles } from "../domain/operators.ts";
import { tableOf, terminalWidth } from "./lists.ts";
import { defineCommand, defineGroup, type JsonOption, parseName } from "./options.ts";
import { formatDay, print } from "./output.ts";
import { asRun } from "./program.ts";
import { CREATE_OPTION, defineStoreCommand, withStores } from "./stores.ts";

type OperatorOptions = JsonOption & { name: string; role: Role; create?: boolean };

const create = defineCommand({
  name: "create",
  description: "Create an operator and print its token. It is shown only once.",
  options: [
    new Option("--name <text>", "the name of the operator").argParser(parseName).makeOptionMandatory(),
    new Option("--role <role>", "viewer reads everything, admin also changes it").choices(roles).makeOptionMandatory(),
    CREATE_OPTION,
  ],
  examples: ['petstore operators create --name "Ada" --role admin'],
  action: ({ name, role, create, json }: OperatorOptions) =>
    withStores({ create }, async ({ operatorAdministration }) => {
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
    }),
});

const HEAD = ["ID", "NAME", "ROLE", "CREATED", "STATUS"];
/** The column that is cut on a narrow terminal. */
const NAME = HEAD.indexOf("NAME");

const list = defineStoreCommand({
  name: "list",
  description: "List all operators, oldest first.",
  examples: ["petstore operators list --json | jq '.[] | select(.role == \"admin\") | .id'"],
  action: async ({ operators }, { json }: JsonOption) => {
    const found = await operators.list();
    const rows = found.map(({ id, name, role, provider, createdAt, revokedAt }) => {
      const state = revokedAt === undefined ? "active" : `revoked ${formatDay(revokedAt)}`;
      return [id, name, provider === undefined ? role : `${role} (SSO)`, formatDay(createdAt), state];
    });
    print(json, found.map(operatorJson), () =>
      rows.length === 0
        ? asRun('There are no operators. `petstore operators create --name "Ada" --role admin` creates one.')
        : tableOf([HEAD, ...rows], NAME, terminalWidth()),
    );
  },
});

const revoke = defineStoreCommand({
  name: "revoke",
  description: "Revoke an operator permanently. Its token and sessions are refused from now on.",
  arguments: [["<id>", "the operator's id, such as op_4kTn…: `petstore operators list` shows it"]],
  examples: ["petstore operators revoke op_4kTn0aWq7JbYcX2z"],
  action: async ({ operatorAdministration }, id: string, { json }: JsonOption) => {
    const operator = await operatorAdministration.revoke(id, Date.now());
    print(json, operatorJson(operator), () => `Operator ${id}, "${operator.name}", is revoked.`);
  },
});

export const operatorsCommand = defineGroup(
  "operators",
  "Create, list and revoke operators of the administration interface and the console.",
  [create, list, revoke],
);

import { Option } from "commander";
import { type AlertState, alertJson, alertNotFound, alertStates } from "../domain/alerts.ts";
import { pagesOf } from "../wiring/exports.ts";
import { type ListOptions, printList, rangeOptions } from "./lists.ts";
import { defineGroup, integer, type JsonOption } from "./options.ts";
import { formatTime, print } from "./output.ts";
import { defineStoreCommand } from "./stores.ts";

const parseId = integer(1n, BigInt(Number.MAX_SAFE_INTEGER));

const list = defineStoreCommand({
  name: "list",
  description: "List alerts, newest first: those that are open, and the last ones that have ended.",
  options: [
    new Option("--state <state>", "only alerts in this state").choices(alertStates),
    ...rangeOptions("alerts", parseId),
  ],
  examples: ["petstore alerts list", "petstore alerts list --state open --json"],
  action: ({ alerts }, options: ListOptions & { state?: AlertState }) => {
    const { state, after } = options;
    const store = alerts();
    return printList(
      {
        pages: pagesOf(
          ({ limit, after: before }) =>
            store.list({ limit, before: before === undefined ? undefined : Number(before), state }),
          after,
        ),
        json: alertJson,
        head: ["ID", "RAISED", "STATE", "TYPE", "SUBJECT"],
        flexible: "SUBJECT",
        row: (alert) => {
          const { id, type, subject, state } = alertJson(alert);
          return [String(id), formatTime(alert.raisedAt), state, type, subject];
        },
        detail: (alert) => `${alert.message} ${alertJson(alert).remedy}`,
        none: "There are no alerts.",
      },
      options,
    );
  },
});

const acknowledge = defineStoreCommand({
  name: "acknowledge",
  description: "Record that you have seen an alert, and print what to do about it. It ends once its cause is gone.",
  arguments: [["<id>", "the alert's id: `petstore alerts list` shows it", parseId]],
  examples: ["petstore alerts acknowledge 7"],
  action: async ({ alerts, author }, id: bigint, { json }: JsonOption) => {
    const entry = { ...author, at: Date.now(), action: "alert.acknowledge", target: String(id) } as const;
    const alert = await alerts().acknowledge(Number(id), entry);
    if (alert === undefined) throw alertNotFound(String(id));
    print(json, alertJson(alert), () => `${alert.message}\n${alertJson(alert).remedy}`);
  },
});

export const alertsCommand = defineGroup("alerts", "List what operators should look at, and acknowledge it.", [
  list,
  acknowledge,
]);

import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { states } from "../support/markdown.ts";

const ROOT = join(import.meta.dir, "../..");
const OPERATIONS = readFileSync(join(ROOT, "docs/running.md"), "utf8");
/** The service ends at most 10 s after SIGTERM (docs/running.md). */
const LONGEST_STOP = 10;

/** The last value of each field, by section and name. */
function fieldsOf(text: string): Map<string, string> {
  const fields = new Map<string, string>();
  let section = "";
  for (const line of text.split("\n")) {
    const [, name, value = ""] = /^(\w+)=(.*)$/.exec(line) ?? [];
    section = /^\[(\w+)\]$/.exec(line)?.[1] ?? section;
    if (name !== undefined) fields.set(`${section}.${name}`, value);
  }
  return fields;
}

const file = join(ROOT, "deploy/petstore.service");
const unit = fieldsOf(readFileSync(file, "utf8"));
const field = (name: string) => unit.get(name);

test("petstore.service starts the service again however it ended, and at each start of the machine", () => {
  states("docs/running.md", "starts it again when it ends");
  expect(field("Service.ExecStart")).toEndWith("/petstore serve");
  expect(field("Service.Restart")).toBe("always");
  expect(Number(field("Service.RestartSec"))).toBeWithin(1, 6);
  expect(field("Install.WantedBy")).toBe("multi-user.target");
  expect([field("Unit.After"), field("Unit.Wants")]).toEqual(["network-online.target", "network-online.target"]);
});

test("petstore.service lets the service stop by itself, and its workers through it", () => {
  expect(Number(field("Service.TimeoutStopSec"))).toBeGreaterThan(LONGEST_STOP);
  expect(field("Service.KillMode")).toBe("mixed");
});

test("petstore.service keeps data in its own directory, which nobody else reads", () => {
  states("SECURITY.md", "the systemd unit in docs/running.md excludes other users.");
  states(
    "docs/running.md",
    "The unit runs the service as the user `petstore`, who can write to `/var/lib/petstore` only",
  );
  expect(field("Service.User")).toBe("petstore");
  const directory = field("Service.StateDirectory");
  // The default path of the database is relative to it.
  expect(field("Service.WorkingDirectory")).toBe(`/var/lib/${directory}`);
  expect([field("Service.StateDirectoryMode"), field("Service.UMask")]).toEqual(["0700", "0077"]);
  expect([field("Service.ProtectSystem"), field("Service.ReadWritePaths")]).toEqual(["strict", undefined]);
});

test("petstore.service lets the service use the network, and the sockets between a parent and its workers", () => {
  expect(field("Service.RestrictAddressFamilies")?.split(" ").sort()).toEqual(["AF_INET", "AF_INET6", "AF_UNIX"]);
});

test("petstore.service has room for as many connections as the service accepts", () => {
  expect(Number(field("Service.LimitNOFILE"))).toBeGreaterThanOrEqual(65_536);
});

test("the commands that install petstore.service put its program and its settings where it looks for them", () => {
  states("docs/running.md", "Your settings go to `/etc/petstore.env`");
  const [program = ""] = field("Service.ExecStart")?.split(" ") ?? [];
  for (const path of [program, field("Service.EnvironmentFile") ?? "?"]) expect(OPERATIONS).toContain(path);
  // At the installation, at an upgrade, and where commands run beside the unit.
  const programs = OPERATIONS.match(/\/usr\/\S*\/petstore\b/g) ?? [];
  expect(programs.length).toBeGreaterThan(2);
  expect(new Set(programs)).toEqual(new Set([program]));
  const settings = OPERATIONS.match(/\/etc\/petstore\.\w+/g) ?? [];
  expect(new Set(settings)).toEqual(new Set([field("Service.EnvironmentFile") ?? "?"]));
  expect(OPERATIONS).toContain(`--shell /usr/sbin/nologin ${field("Service.User")}\n`);
});

test("the command that makes the unit of staging changes what the deployments do not share, and nothing else", () => {
  states(
    "docs/running.md",
    "Staging is a second unit of the same executable, with a directory and settings of its own",
  );
  const [, script = ""] = /^sed '(.*)' \\\n {2}petstore\.service/m.exec(OPERATIONS) ?? [];
  const { status, stdout } = spawnSync("sed", [script, file], { encoding: "utf8" });
  expect(status).toBe(0);
  const changed = [...fieldsOf(stdout)].filter(([name, value]) => unit.get(name) !== value);
  expect(Object.fromEntries(changed)).toEqual({
    "Service.StateDirectory": "petstore-staging",
    "Service.WorkingDirectory": "/var/lib/petstore-staging",
    "Service.EnvironmentFile": "/etc/petstore-staging.env",
  });
});

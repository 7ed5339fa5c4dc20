import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readConfig } from "../../src/wiring/config.ts";
import { codesIn, states, tableOf } from "../support/markdown.ts";

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
  states("SECURITY.md", "The systemd unit in docs/running.md excludes other users, too.");
  states(
    "docs/running.md",
    "restricts what it may ask of the system, starts it again when it ends",
    "one `NAME=value` per line;",
  );
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

test("petstore.service does not wait for a message that the service does not send, and runs it as the image does", () => {
  expect(field("Service.Type")).toBe("exec");
  const text = readFileSync(file, "utf8");
  expect(text).toContain("\nEnvironment=NODE_ENV=production\n");
  expect(readFileSync(join(ROOT, "deploy/Containerfile"), "utf8")).toContain("ENV NODE_ENV=production ");
  const { port } = readConfig({});
  const { pathname, host } = new URL(field("Unit.Documentation") ?? "none:");
  expect(host).toBe(`127.0.0.1:${port}`);
  expect(existsSync(join(ROOT, `${pathname.slice(1)}.md`))).toBe(true);
});

test("petstore.service takes from the service all that it does not need, without exceptions", () => {
  const restricted = [...unit].filter(([name]) => /\.(Protect|Private|Restrict|Lock|NoNew|Remove)/.test(name));
  const weak = restricted.filter(([, value]) => !/^(yes|strict|invisible|AF_INET AF_INET6 AF_UNIX)$/.test(value));
  expect(weak).toEqual([]);
  expect(restricted.length).toBeGreaterThanOrEqual(19);
  expect([field("Service.CapabilityBoundingSet"), field("Service.AmbientCapabilities")]).toEqual(["", ""]);
  const filters = [...readFileSync(file, "utf8").matchAll(/^SystemCallFilter=(.*)$/gm)].map(([, value]) => value);
  expect(filters).toEqual(["@system-service", "~@privileged @resources"]);
  // A refused call fails, and does not kill the service.
  expect(field("Service.SystemCallErrorNumber")).toBe("EPERM");
  expect(field("Service.SystemCallArchitectures")).toBe("native");
});

test("petstore.service has room for as many connections as the service accepts", () => {
  states(
    "docs/upgrading.md",
    "One processor core is busy without requests | No free file descriptors. | Raise `LimitNOFILE`, restart.",
  );
  expect(Number(field("Service.LimitNOFILE"))).toBeGreaterThanOrEqual(65_536);
  states(
    "docs/running.md",
    `Each connection takes one. Allow many more than you expect clients (\`LimitNOFILE=${field("Service.LimitNOFILE")}\`): without a free one, the process accepts no connections and keeps a core busy.`,
  );
});

test("the alias runs commands as the unit runs the service: as its user, with its settings, in its directory", () => {
  states("docs/running.md", "Commands need the user and the settings of the service.");
  const [, alias = ""] = /^alias petstore='(sudo systemd-run[\s\S]*?)'$/m.exec(OPERATIONS) ?? [];
  const words = alias.replaceAll(/\\\n/g, " ").split(/\s+/);
  expect(words.at(-1)).toBe(field("Service.ExecStart")?.split(" ")[0] ?? "?");
  const needed = [
    ...["--wait", "--collect", "--pipe", `--uid=${field("Service.User")}`],
    `--property=UMask=${field("Service.UMask")}`,
    `--property=EnvironmentFile=${field("Service.EnvironmentFile")}`,
    `--working-directory=${field("Service.WorkingDirectory")}`,
  ];
  expect(needed.filter((word) => !words.includes(word))).toEqual([]);
  states(
    "docs/running.md",
    `Files that a command opens by itself are below \`${field("Service.WorkingDirectory")}\`; \`-\` and \`>\` read and write yours.`,
    "`sudo systemctl restart petstore` applies them.",
    "Create keys of your own, then revoke the first key: the journal contains it.",
  );
});

test("docs/running.md prepares on each platform the file of that platform", () => {
  const rows = tableOf(OPERATIONS, "File", "Platform", "Before the first start");
  const platforms: Record<string, RegExp> = {
    "linux-x64": /^Linux with glibc, such as Debian, Ubuntu, Fedora$/,
    "linux-arm64": /^Linux with glibc/,
    "darwin-arm64": /^macOS on Apple silicon, on Intel$/,
    "darwin-x64": /, on Intel$/,
    "windows-x64.exe": /^Windows$/,
  };
  const named = rows.flatMap(([files = "", platform = "", steps = ""]) =>
    codesIn(files).map((name) => ({
      name: name.replace(/^petstore-[\d.]+-/, ""),
      platform,
      steps,
      first: codesIn(files)[0] ?? "",
    })),
  );
  expect(named.map(({ name }) => name).toSorted()).toEqual(Object.keys(platforms).toSorted());
  for (const { name, platform, steps, first } of named) {
    expect([name, platform]).toEqual([name, expect.stringMatching(platforms[name] ?? /never/)]);
    expect(steps).toContain(first);
    expect([name, /xattr/.test(steps), /Unblock-File/.test(steps)]).toEqual([
      name,
      name.startsWith("darwin"),
      name.startsWith("windows"),
    ]);
  }
  // A checksum is compared before anything else is done with a file from a browser.
  for (const { steps, name } of named.filter(({ name: one }) => !one.startsWith("linux")))
    expect([name, steps]).toEqual([name, expect.stringMatching(/^(In PowerShell )?`(shasum|Get-FileHash)/)]);
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

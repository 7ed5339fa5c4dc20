// Patroni with etcd, from the system's packages: the leader is killed under load. Takes a minute, most of which Patroni waits.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "../support/eventually.ts";
import { Load } from "../support/load.ts";
import { states } from "../support/markdown.ts";
import { createKeyOn, Node } from "../support/nodes.ts";
import { freePort } from "../support/ports.ts";
import { queryAt } from "../support/postgres.ts";
import { temporaryDirectory } from "../support/temporary.ts";

/** How long a leader that is gone keeps its lock, in s: Patroni's shortest. Then the standby takes its place. */
const TTL = 20;
const NOBODY = 65_534;
const who = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
const PROGRAMS = "/usr/lib/postgresql";
const [version = ""] = existsSync(PROGRAMS) ? readdirSync(PROGRAMS).sort().reverse() : [];

type Member = { process: ChildProcess; port: number; api: number; data: string };

const directory = temporaryDirectory();
let etcd: ChildProcess;
let members: Member[];
let node: Node;

function start(program: string, ...args: string[]): ChildProcess {
  return spawn(program, args, { ...who, cwd: directory, stdio: "ignore", env: { PATH: process.env.PATH } });
}

/** Starts Patroni, whose configuration is JSON, which is YAML. */
async function startMember(name: string, etcdPort: number): Promise<Member> {
  const [port, api] = [await freePort(), await freePort()];
  const data = join(directory, name);
  const configuration = {
    scope: "petstore",
    name,
    restapi: { listen: `127.0.0.1:${api}`, connect_address: `127.0.0.1:${api}` },
    etcd3: { hosts: [`127.0.0.1:${etcdPort}`] },
    bootstrap: {
      dcs: { ttl: TTL, loop_wait: 2, retry_timeout: 3, synchronous_mode: true },
      initdb: ["no-sync", { locale: "C.UTF-8" }, { encoding: "UTF8" }],
    },
    postgresql: {
      listen: `127.0.0.1:${port}`,
      connect_address: `127.0.0.1:${port}`,
      data_dir: data,
      bin_dir: join(PROGRAMS, version, "bin"),
      pgpass: join(directory, `${name}.pgpass`),
      authentication: { superuser: { username: "petstore" }, replication: { username: "replicator" } },
      pg_hba: ["host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust"],
      parameters: { fsync: "off", unix_socket_directories: "" },
    },
  };
  const path = join(directory, `${name}.json`);
  writeFileSync(path, JSON.stringify(configuration));
  return { process: start("patroni", path), port, api, data };
}

/** The roles and states of the members, as one of them knows them. */
async function rolesAt({ api }: Member): Promise<Record<string, string>> {
  const response = await fetch(`http://127.0.0.1:${api}/cluster`).catch(() => undefined);
  const { members: known = [] } = response?.ok ? await response.json() : {};
  return Object.fromEntries(known.map(({ port, role, state }: never) => [port, `${role} ${state}`]));
}

/** Kills Patroni and its server with all workers, as a machine that goes down. */
async function kill({ process: patroni, data }: Member): Promise<void> {
  patroni.kill("SIGKILL");
  const pid =
    existsSync(join(data, "postmaster.pid")) &&
    Number(readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[0]);
  if (!pid || !existsSync(`/proc/${pid}`)) return;
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
  for (const one of [pid, ...children]) if (existsSync(`/proc/${one}`)) process.kill(one, "SIGKILL");
}

beforeAll(async () => {
  if (who.uid !== undefined) chownSync(directory, who.uid, who.gid);
  const [port, peer] = [await freePort(), await freePort()];
  const [client, other] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peer}`];
  mkdirSync(join(directory, "etcd"), { mode: 0o700 });
  if (who.uid !== undefined) chownSync(join(directory, "etcd"), who.uid, who.gid);
  etcd = start(
    "etcd",
    ...["--data-dir", join(directory, "etcd"), "--unsafe-no-fsync"],
    ...["--listen-client-urls", client, "--advertise-client-urls", client],
    ...["--listen-peer-urls", other, "--initial-advertise-peer-urls", other, "--initial-cluster", `default=${other}`],
  );
  await eventually(() =>
    fetch(`${client}/health`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  members = [await startMember("one", port), await startMember("two", port)];
  const [first] = members as [Member];
  await eventually(async () => {
    const roles = Object.values(await rolesAt(first)).sort();
    return roles[0] === "leader running" && roles[1]?.startsWith("sync_standby ") === true;
  });
  const hosts = members.map(({ port: theirs }) => `127.0.0.1:${theirs}`).join();
  node = new Node(await freePort(), { DATABASE_URL: `postgres://petstore@${hosts}/postgres` });
  await node.start();
});

afterAll(async () => {
  await node?.kill();
  await Promise.all((members ?? []).map(kill));
  etcd?.kill("SIGKILL");
  if (etcd?.exitCode === null && etcd.signalCode === null) await once(etcd, "exit");
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
});

test("the leader is killed: writes are back when Patroni has made the standby the leader, and nothing acknowledged is lost", async () => {
  states(
    "docs/reliability.md",
    "The leader of two servers with Patroni 3.0, etcd 3.4 and `synchronous_mode` is killed, and its Patroni too",
    "which it does when the leader's lock is over (`ttl`)",
  );
  states("docs/reliability.md", "503 until Patroni has made the standby the leader", "Nothing acknowledged is lost.");
  const roles = await rolesAt(members[0] as Member);
  const leader = members.find(({ port }) => roles[port] === "leader running");
  const standby = members.find((member) => member !== leader);
  if (leader === undefined || standby === undefined) throw new Error(`there is no leader: ${JSON.stringify(roles)}`);
  const url = (port: number) => `postgres://petstore@127.0.0.1:${port}/postgres`;
  const { secret } = await createKeyOn(url(leader.port));
  await using load = new Load({ urls: [node.url], secret, workers: 8, creations: 50 });
  await load.run(1_500);
  const killed = performance.now();
  await kill(leader);
  const isBack = () => load.outcomes.find(({ began, status }) => status === 201 && began > killed + 1_000);
  await eventually(() => isBack() !== undefined);
  const back = (isBack()?.began ?? 0) - killed;
  await load.run(1_000);
  const outcomes = await load.stop();

  console.log(`Patroni: writes were back ${(back / 1000).toFixed(1)} s after the leader was killed; ttl ${TTL} s`);
  for (const { status, took } of outcomes) {
    expect([200, 201, 503]).toContain(status);
    expect(took).toBeLessThan(5_000);
  }
  const kept = await queryAt(url(standby.port), "SELECT id, name FROM petstore.pets");
  const names = new Map(kept.map(({ id, name }) => [Number(id), name]));
  const acknowledged = outcomes.flatMap(({ pet }) => (pet === undefined ? [] : [pet]));
  expect(acknowledged.length).toBeGreaterThan(50);
  for (const { id, name } of acknowledged) expect(names.get(id)).toBe(name);
  expect(new Set(names.values()).size).toBe(names.size);
});

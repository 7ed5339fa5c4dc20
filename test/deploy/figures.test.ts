/**
 * Each figure in the comments of deploy/ has a source, as in the documents: the code, another file, or something that neither
 * knows. A fact is a part of a sentence with its figures from there.
 */
import { describe, expect, test } from "bun:test";
import { cpSync, existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse, parseAllDocuments } from "yaml";
import manifest from "../../package.json" with { type: "json" };
import { MAX_BODY_BYTES, MAX_HEAD } from "../../src/adapters/http/request.ts";
import { REQUEST } from "../../src/adapters/postgres/connections.ts";
import { LINK_LENGTH } from "../../src/domain/operators.ts";
import { readConfig } from "../../src/wiring/config.ts";
import { ROOT, read } from "../support/markdown.ts";
import { hasPromtool, promtool } from "../support/metrics.ts";
import { temporaryDirectory } from "../support/temporary.ts";

/** The number of a constant in a file of src, with the names that its expression has. */
function constant(path: string, name: string): number {
  const expression = new RegExp(`^(?:export )?const ${name}\\b[^=]*= ([\\d_ *+]+);`, "m").exec(
    read(`src/${path}`),
  )?.[1];
  if (expression === undefined) throw new Error(`src/${path} has no constant ${name}`);
  return expression.split("*").reduce((product, factor) => product * Number(factor.replaceAll("_", "")), 1);
}

const figure = (path: string, pattern: RegExp) => {
  const found = pattern.exec(read(path))?.[1];
  if (found === undefined) throw new Error(`${path} has nothing like ${pattern}`);
  return found;
};

const KIB = 1_024;
const events = constant("adapters/http/operations/events.ts", "MAX_WAIT");
const drain = (constant("wiring/service.ts", "CLOSE_NOTICE") + constant("wiring/service.ts", "STOP_TIMEOUT")) / 1_000;
const batch = constant("adapters/http/operations/pets.ts", "MAX_BATCH_BYTES") / KIB;
const link = `For ${LINK_LENGTH / 60_000} minutes`;
const helm = parse(read("deploy/helm/petstore/values.yaml"));
const nodes = helm.autoscaling.maxReplicas + 1;
const connections = `${nodes} nodes use ${nodes * helm.databasePool} connections, of the 100 that PostgreSQL allows by default`;
const [production, staging] = ["production", "staging"].map((PETSTORE_DEPLOYMENT) =>
  readConfig({ PETSTORE_DEPLOYMENT }),
);
const [ADMIN, STAGING_ADMIN] = [production?.admin?.port, staging?.admin?.port];
const console = (port: number | undefined) => `http://127.0.0.1:${port}/console`;
const IMAGE = `petstore:${manifest.version}`;
const waits = `A request that waits for events waits for up to ${events} s`;

/** By file: what its comments say, with figures from elsewhere. */
const FACTS: Record<string, string[]> = {
  Containerfile: [`docker build --file deploy/Containerfile --tag ${IMAGE} .`],
  "compose.yaml": [
    `The console is then at ${console(ADMIN)}, staging's at ${console(STAGING_ADMIN)}.`,
    `${link} after the first start`,
    "Grafana is at http://127.0.0.1:3000,",
    "Prometheus at http://127.0.0.1:9090.",
  ],
  "compose.small.yaml": [
    `and ${link.toLowerCase()} a link that opens the console`,
    `The console is at ${console(ADMIN)} on this machine alone`,
    `ports ${figure("deploy/Caddyfile", /HTTP_PORT:(\d+)/)} and ${figure("deploy/Caddyfile", /HTTPS_PORT:(\d+)/)} reach it`,
  ],
  "haproxy.cfg": [
    `and ${figure("deploy/haproxy.cfg", /timeout client (\d+)s/)} s for a body without traffic`,
    `A request that waits for events has more time: it waits for up to ${events} s`,
    `reports that it is ready, for up to ${(REQUEST.connection + REQUEST.result) / 1_000} s`,
    `refuse headers over ${MAX_HEAD / KIB} KiB without a body`,
  ],
  Caddyfile: [
    `A body has at most ${MAX_BODY_BYTES / KIB} KiB`,
    `At ${MAX_HEAD / KIB} KiB a node's parser would close the connection`,
    `bodies over ${MAX_BODY_BYTES / KIB} KiB, and batches and messages of agents over ${batch} KiB`,
    waits,
    `of which nothing arrives for ${constant("adapters/listen/connection.ts", "TIMEOUT")} s`,
    "which would answer 200 without a body",
    `Less than the ${constant("adapters/listen/connection.ts", "TIMEOUT")} s after which a node closes an idle connection`,
  ],
  "petstore.service": [`The service takes up to ${Math.ceil(drain)} s to answer requests in flight.`],
  "helm/petstore/values.yaml": [connections, waits],
  "kubernetes/petstore.yaml": [connections, `port-forward deployment/petstore ${ADMIN}\`, then at ${console(ADMIN)}`],
  "kubernetes/ingress.yaml": [waits],
};

/** What no code of this project knows, and what other tests compare. */
const OTHERS = [
  /^ *\d\. /gm,
  /\b(S3|HTTP\/[\d.]+|RFC \d+|user, 99)\b/gi,
  /openssl rand -hex 24/g,
  // Statuses, which the tests of the proxies observe.
  /\b(421|431|400|408|503|5xx|get 400|400 and 408)\b/g,
  /Needs Caddy [\d.]+|Needs Kubernetes [\d.]+/g,
  /Caddy adds 4 KiB/g,
  /PETSTORE_ADDRESS_LIMIT: "600"|PETSTORE_BACKUP_EVERY: 6h/g,
  /Each ends in \/v1/g,
  /(443 of public addresses)/g,
  // Commented out: a receiver of alerts, and what stands there for staging.
  /127\.0\.0\.1:9093/g,
  new RegExp(`127\\.0\\.0\\.1:${STAGING_ADMIN}"`, "g"),
  // Those of the alerts' own tests, and the date of a removal, are compared in metrics.test.ts.
];

const files = readdirSync(join(ROOT, "deploy"), { recursive: true, encoding: "utf8" }).filter(
  (name) => /(\.(ya?ml|cfg|service|tpl)|file)$/i.test(name) && !/alerts/.test(name),
);

/** The comments of a file, each sentence in one line, with the numbers of their steps at the beginning of one. */
function commentsOf(name: string): string {
  const lines = read(`deploy/${name}`).split("\n");
  const comments = lines.flatMap((line) => /(?:^|\s)#(?!#) ?(.*)$/.exec(line)?.[1] ?? []);
  return comments.join("\n").replaceAll(/\n(?! *\d\. ) */g, " ");
}

test("files with facts exist", () => {
  expect(Object.keys(FACTS).filter((name) => !files.includes(name))).toEqual([]);
  expect(files.length).toBeGreaterThan(20);
});

test.each(files)("each figure in the comments of deploy/%s has a source", (name) => {
  const text = commentsOf(name);
  const facts = FACTS[name] ?? [];
  expect(facts.filter((fact) => !text.includes(fact))).toEqual([]);
  const known = new Set<number>();
  for (const source of [...facts.map((fact) => new RegExp(RegExp.escape(fact), "g")), ...OTHERS]) {
    for (const { 0: part, index } of text.matchAll(source))
      for (let at = 0; at < part.length; at++) known.add(index + at);
  }
  const unknown = [...text.matchAll(/(?<![\w.])\d[\d.,]*/g)].filter(({ index }) => !known.has(index));
  expect(unknown.map(({ index }) => text.slice(Math.max(0, index - 40), index + 40))).toEqual([]);
});

describe("the steps at the head of a file", () => {
  const withSteps = files.filter((name) => /^ *1\. /m.test(commentsOf(name)));

  test.each(withSteps)("of deploy/%s are numbered, and name files, services and variables that exist", (name) => {
    const text = commentsOf(name);
    const numbers = [...text.matchAll(/^ *(\d)\. /gm)].map(([, number]) => Number(number));
    expect(numbers).toEqual(numbers.map((_, at) => at + 1));
    const named = [...text.matchAll(/(?<![\w/.-])deploy\/[\w./-]*\w/g)].map(([path]) => path);
    // The operator's own.
    const own = ["deploy/.env", "deploy/certificate.pem"];
    expect(named.filter((path) => !own.includes(path) && !existsSync(join(ROOT, path)))).toEqual([]);
    if (!name.startsWith("compose")) return;
    const { services } = parse(read(`deploy/${name}`), { merge: true });
    const commands = [...text.matchAll(/docker compose --file (\S+) (up --detach|exec|logs)(?: ([\w-]+))?/g)];
    expect(commands.length).toBeGreaterThan(2);
    for (const [, file, verb, service] of commands) {
      expect(file).toBe(`deploy/${name}`);
      if (verb !== "up --detach" && service !== undefined) expect(Object.keys(services)).toContain(service);
    }
  });

  test.each(["compose.yaml", "compose.small.yaml"])(
    "of deploy/%s and the page name what deploy/.env must have",
    (name) => {
      const required = [...new Set([...read(`deploy/${name}`).matchAll(/\$\{(\w+):\?\}/g)].map(([, one = ""]) => one))];
      const step =
        commentsOf(name)
          .split(/^ *\d\. /m)
          .find((text) => text.startsWith("Write ")) ?? "";
      expect([...new Set(step.match(/\b[A-Z]+_[A-Z_]+\b/g) ?? [])].sort()).toEqual(required.toSorted());
      const block =
        read("docs/deploy.md")
          .split("```")
          .find((text) => text.includes(`--file deploy/${name} up`)) ?? "";
      expect([...new Set([...block.matchAll(/\b([A-Z]+_[A-Z_]+)=/g)].map(([, one = ""]) => one))].sort()).toEqual(
        required.toSorted(),
      );
    },
  );
});

test("the comments have operators create the secrets that the pods and the Ingress ask for", () => {
  const [secret, certificate] = [helm.existingSecret, helm.ingress.tlsSecret];
  const objects = read("deploy/kubernetes/petstore.yaml") + read("deploy/kubernetes/ingress.yaml");
  expect(objects).toContain(`secretRef: { name: ${secret} }`);
  expect(objects).toContain(`secretName: ${certificate}\n`);
  const { namespace } = parse(read("deploy/kubernetes-staging/kustomization.yaml"));
  let created = 0;
  for (const name of files) {
    const text = commentsOf(name).replaceAll(/\s*\\\s*/g, " ");
    for (const [, generic, rest = ""] of text.matchAll(
      /kubectl create secret generic (\S+)((?: --\S+(?: [a-z-]+(?= --))?)+)/g,
    )) {
      created += 1;
      expect([name, generic]).toEqual([name, secret]);
      // What the service needs beside its defaults.
      const literals = [...rest.matchAll(/--from-literal=([A-Z_]+)=(\w+):/g)].map(([, key, scheme]) => [key, scheme]);
      expect([name, ...literals]).toEqual([name, ["DATABASE_URL", "postgres"], ["REDIS_URL", "redis"]]);
      expect([name, /--namespace (\S+)/.exec(rest)?.[1]]).toEqual([
        name,
        name.includes("staging") ? namespace : undefined,
      ]);
    }
    const named = [...text.matchAll(/create namespace (\S+)/g)].map(([, one]) => one);
    expect([name, ...named]).toEqual([name, ...named.map(() => namespace)]);
    for (const [, one] of text.matchAll(/certificate is in the secret `([^`]+)`/g))
      expect([name, one]).toEqual([name, certificate]);
  }
  expect(created).toBe(3);
});

test("every version of the image that a file of deploy/ names is this one", () => {
  for (const name of files) {
    const versions = [...read(`deploy/${name}`).matchAll(/\bpetstore[:-](\d+\.\d+\.\d+)/g)].map(([, one]) => one);
    expect([name, ...versions]).toEqual([name, ...versions.map(() => manifest.version)]);
  }
});

/** The configuration of Prometheus with all that stands in comments there. */
const withOptions = () =>
  read("deploy/prometheus/prometheus.yml").replaceAll(
    /^( *)# (?=alerting:| +alertmanagers:| +- static_configs:|( +)?- targets:| +labels:| +deployment:|authorization:| +credentials_file:)/gm,
    "$1",
  );

test.skipIf(!hasPromtool)("Prometheus accepts also what its configuration has in comments", () => {
  const directory = temporaryDirectory();
  cpSync(join(ROOT, "deploy/prometheus"), directory, { recursive: true });
  const text = withOptions();
  expect(text.match(/^ *(alerting|alertmanagers|authorization|credentials_file):/gm)).toHaveLength(4);
  const token = join(directory, "token");
  writeFileSync(token, "x");
  writeFileSync(join(directory, "all.yml"), text.replace(/(?<=credentials_file: )\S+/, token));
  expect(promtool(["check", "config", join(directory, "all.yml")]).status).toBe(0);
  rmSync(directory, { recursive: true });
});

test("Prometheus on the same machine scrapes the listeners of both deployments, under the job that the alerts expect", () => {
  const text = read("deploy/prometheus/prometheus.yml");
  const [document] = parseAllDocuments(text.replaceAll(/^( +)# (?=(?:- targets| {2}labels| {4}deployment))/gm, "$1"));
  const [{ job_name: job, static_configs: targets }] = document?.toJS().scrape_configs ?? [{}];
  expect(targets).toEqual([
    { targets: [`127.0.0.1:${ADMIN}`], labels: { deployment: "production" } },
    { targets: [`127.0.0.1:${STAGING_ADMIN}`], labels: { deployment: "staging" } },
  ]);
  const expected = new Set([...read("deploy/prometheus/alerts.yml").matchAll(/\bjob="(\w+)"/g)].map(([, one]) => one));
  const composed = parse(read("deploy/prometheus/prometheus.compose.yml")).scrape_configs[0].job_name;
  expect([...expected]).toEqual([job]);
  expect(composed).toBe(job);
});

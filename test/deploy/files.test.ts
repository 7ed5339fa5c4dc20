import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseAllDocuments } from "yaml";
import { z } from "zod";
import manifest from "../../package.json" with { type: "json" };
import { readConfig } from "../../src/wiring/config.ts";
import { variables } from "../../src/wiring/config-variables.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const IMAGE = `petstore:${manifest.version}`;
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

/** The documents of a YAML file. @throws for any error or warning */
function parse(path: string): unknown[] {
  return parseAllDocuments(read(path), { merge: true }).map((document) => {
    expect([...document.errors, ...document.warnings]).toEqual([]);
    return document.toJS();
  });
}

/** HAProxy's settings: where it listens, and its backends. */
const HAPROXY = new Set(read("deploy/haproxy.cfg").match(/PETSTORE_[A-Z_]+/g));
const SETTINGS = variables.map(({ name }) => name);

/** Variables of compose.yaml itself, from which it makes settings. */
const OF_COMPOSE = ["PETSTORE_HOST", "PETSTORE_STAGING_HOST"];

test.each(
  readdirSync(join(ROOT, "deploy"), { recursive: true, encoding: "utf8" }).filter((name) => /\.|file$/.test(name)),
)("every setting that deploy/%s names exists", (name) => {
  const known = [...SETTINGS, ...HAPROXY, ...OF_COMPOSE];
  const named = [...read(`deploy/${name}`).matchAll(/\b(PETSTORE_[A-Z_]+|DATABASE_URL|REDIS_URL)\b/g)];
  expect(named.map(([setting]) => setting).filter((setting) => !known.includes(setting))).toEqual([]);
});

const Names = z.union([z.array(z.string()), z.record(z.string(), z.unknown()).transform(Object.keys)]).default([]);
const ComposeService = z.looseObject({
  image: z.string(),
  user: z.string().optional(),
  read_only: z.boolean().optional(),
  cap_drop: z.array(z.string()).default([]),
  security_opt: z.array(z.string()).default([]),
  environment: z.record(z.string(), z.union([z.string(), z.number()])).default({}),
  networks: Names,
  depends_on: Names,
  volumes: z.array(z.string()).default([]),
  configs: z.array(z.object({ source: z.string(), target: z.string() })).default([]),
});
const Compose = z.object({
  name: z.string(),
  services: z.record(z.string(), ComposeService),
  networks: z.record(z.string(), z.unknown()),
  volumes: z.record(z.string(), z.unknown()),
  configs: z.record(z.string(), z.unknown()),
});

/** A value after compose's substitution of variables. */
function filledIn(value: string | number): string {
  return String(value).replace(
    /\$\{([A-Z_]+):\?\}/g,
    (_, name) => `${name.toLowerCase().replaceAll("_", "-")}.example`,
  );
}

describe("compose.yaml", () => {
  const [document] = parse("deploy/compose.yaml");
  // Names that begin with x- are extensions.
  const own = Object.entries(Object(document)).filter(([name]) => !name.startsWith("x-"));
  const { services, networks, volumes, configs } = Compose.parse(Object.fromEntries(own));
  const all = Object.entries(services);
  const nodes = all.filter(([, { image }]) => image === IMAGE);

  test.each(all)("%s refers only to what exists", (_, service) => {
    expect(service.networks.filter((name) => !(name in networks))).toEqual([]);
    expect(service.depends_on.filter((name) => !(name in services))).toEqual([]);
    expect(service.configs.map(({ source }) => source).filter((name) => !(name in configs))).toEqual([]);
    const named = service.volumes.map((volume) => volume.split(":")[0] ?? "").filter((name) => !name.startsWith("."));
    expect(named.filter((name) => !(name in volumes))).toEqual([]);
  });

  test.each(all)("%s has an image with a tag of one release", (_, { image }) => {
    expect(image).toMatch(/^[a-z0-9./-]+:\d+(\.\d+)*$/);
  });

  test("two production nodes and one staging node run, without privileges", () => {
    expect(nodes.map(([name]) => name)).toEqual(["production-one", "production-two", "staging"]);
    for (const [, node] of nodes) {
      expect(node).toMatchObject({ user: "nonroot", read_only: true, cap_drop: ["ALL"] });
      expect(node.security_opt).toContain("no-new-privileges:true");
      expect(node.networks).toContain("inside");
    }
  });

  test("only HAProxy is reachable from outside; one node per deployment is published to this machine", () => {
    const ports = all.filter(([, service]) => "ports" in service).map(([name, service]) => [name, service.ports]);
    expect(ports).toEqual([
      ["production-one", ["127.0.0.1:8081:8081"]],
      ["staging", ["127.0.0.1:8091:8091"]],
      ["haproxy", ["443:8443", "80:8080"]],
    ]);
    expect(networks.inside).toMatchObject({ internal: true });
    expect(all.filter(([, { networks: its }]) => !its.includes("inside"))).toEqual([]);
  });

  test("it contains no password", () => {
    const values = all.flatMap(([, { environment }]) => Object.entries(environment));
    const passwords = values.flatMap(([name, value]) =>
      name.includes("PASSWORD")
        ? [value]
        : [...String(value).matchAll(/\/\/[^:/]*:(.*)@/g)].map(([, password]) => password),
    );
    expect(passwords).toHaveLength(4);
    for (const password of passwords) expect(password).toMatch(/^\$\{POSTGRES_PASSWORD:\?\}$/);
  });

  test("every node has valid settings; deployments share neither database nor counters", () => {
    const read = nodes.map(([, { environment }]) =>
      readConfig(Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, filledIn(value)]))),
    );
    const [one, two, staging] = read;
    expect(two).toEqual(one);
    expect(one).toMatchObject({ deployment: "production", nodes: 2, host: "0.0.0.0", port: 8080 });
    expect(staging).toMatchObject({ deployment: "staging", nodes: 1 });
    expect(staging?.database).not.toEqual(one?.database);
    expect(staging?.redisUrl).not.toBe(one?.redisUrl);
    expect(staging?.baseUrls).toEqual(one?.baseUrls);
  });

  test("HAProxy gets all variables of its configuration, and existing nodes", () => {
    const environment = services.haproxy?.environment ?? {};
    expect(new Set(Object.keys(environment))).toEqual(HAPROXY);
    const addresses = Object.entries(environment).filter(([name]) => name.includes("_NODE"));
    expect(addresses.map(([, address]) => address)).toEqual(nodes.map(([name]) => `${name}:8080`));
  });
});

const Resource = z.looseObject({ apiVersion: z.string(), kind: z.string(), metadata: z.object({ name: z.string() }) });
const Deployment = z.object({
  spec: z.object({
    selector: z.object({ matchLabels: z.record(z.string(), z.string()) }),
    template: z.object({
      metadata: z.object({ labels: z.record(z.string(), z.string()) }),
      spec: z.looseObject({
        securityContext: z.unknown(),
        terminationGracePeriodSeconds: z.number(),
        containers: z.tuple([
          z.looseObject({
            image: z.string(),
            ports: z.array(z.object({ name: z.string(), containerPort: z.number() })),
          }),
        ]),
      }),
    }),
  }),
});

describe("the Kubernetes files", () => {
  const [kustomization] = parse("deploy/kubernetes/kustomization.yaml");
  const resources = parse("deploy/kubernetes/petstore.yaml").map((document) => Resource.parse(document));
  const one = (kind: string) => resources.find((resource) => resource.kind === kind);
  const { selector, template } = Deployment.parse(one("Deployment")).spec;
  const [container] = template.spec.containers;

  test("are all listed, and have what a durable deployment needs", () => {
    expect(kustomization).toMatchObject({ resources: ["petstore.yaml"] });
    const kinds = ["ConfigMap", "Deployment", "Service", "HorizontalPodAutoscaler", "PodDisruptionBudget"];
    expect(resources.map(({ kind }) => kind)).toEqual(kinds);
  });

  test("select the nodes by their labels", () => {
    expect(template.metadata.labels).toMatchObject(selector.matchLabels);
    expect(one("Service")).toMatchObject({ spec: { selector: selector.matchLabels } });
    expect(one("PodDisruptionBudget")).toMatchObject({ spec: { selector } });
    expect(one("HorizontalPodAutoscaler")).toMatchObject({
      spec: { scaleTargetRef: { name: one("Deployment")?.metadata.name } },
    });
  });

  test("run this version without privileges, and probe existing paths", () => {
    expect(template.spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 65_532 });
    expect(container).toMatchObject({
      image: IMAGE,
      ports: [{ name: "http", containerPort: 8080 }],
      securityContext: {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] },
      },
      startupProbe: { httpGet: { path: "/readyz", port: "http" } },
      readinessProbe: { httpGet: { path: "/readyz", port: "http" } },
      livenessProbe: { httpGet: { path: "/livez", port: "http" } },
    });
  });

  test("have valid settings for the largest number of nodes", () => {
    const { data } = z.object({ data: z.record(z.string(), z.string()) }).parse(one("ConfigMap"));
    const secret = { DATABASE_URL: "postgres://host/petstore", REDIS_URL: "redis://host" };
    const { nodes, database } = readConfig({ ...data, ...secret });
    expect(one("HorizontalPodAutoscaler")).toMatchObject({ spec: { maxReplicas: nodes } });
    // PostgreSQL reserves 3 of its 100 connections for superusers; a rollout has one more node.
    expect(database.engine === "postgres" && database.poolSize * (nodes + 1)).toBeLessThanOrEqual(97);
  });
});

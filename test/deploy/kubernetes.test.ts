import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import ipaddr from "ipaddr.js";
import { parse } from "yaml";
import { z } from "zod";
import { readConfig, variables } from "../../src/wiring/config.ts";
import { states } from "../support/markdown.ts";
import { describeObjects } from "./describe-objects.ts";
import { FILES, objectsOf } from "./kubernetes-objects.ts";
import { danglingReferences, valuesAt } from "./references.ts";
import { problemsOfResource } from "./schemas/problems.ts";

const DEPLOY = join(import.meta.dir, "../../deploy");
const Block = z.object({ ipBlock: z.object({ cidr: z.string(), except: z.array(z.string()).default([]) }) });
const Egress = z.object({ to: z.array(Block).optional(), ports: z.array(z.object({ port: z.number() })) });

const resources = FILES.flatMap(objectsOf);
const [, monitor] = objectsOf("monitoring/service-monitor.yaml");

describeObjects("the files of the kustomization", resources);

test("nodes are spread over machines and started before others stop, and only the ingress controller reaches them", () => {
  states(
    "docs/deploy.md",
    "spread over machines, 2 to 12 by processor load. A rollout starts the new node first.",
    "A node that stops gets 3 seconds, in which load balancers remove it",
    "only the ingress controller's namespace reaches the nodes",
    "The administration listener stays on the pod's loopback address.",
  );
  const at = (kind: string, path: string) =>
    valuesAt(
      resources.find((one) => one.kind === kind),
      path,
    );
  expect(at("Deployment", "spec.strategy.rollingUpdate")).toEqual([{ maxUnavailable: 0, maxSurge: 1 }]);
  expect(at("Deployment", "spec.template.spec.topologySpreadConstraints.*.topologyKey")).toEqual([
    "kubernetes.io/hostname",
  ]);
  expect(at("Deployment", "spec.template.spec.containers.*.lifecycle.preStop.sleep.seconds")).toEqual([3]);
  const [scaled] = at("HorizontalPodAutoscaler", "spec");
  expect(scaled).toMatchObject({ minReplicas: 2, maxReplicas: 12, metrics: [{ resource: { name: "cpu" } }] });
  expect(at("NetworkPolicy", "spec.policyTypes")).toEqual([["Ingress", "Egress"]]);
  const controller = { matchLabels: { "kubernetes.io/metadata.name": "ingress-nginx" } };
  expect(at("NetworkPolicy", "spec.ingress.*.from")).toEqual([[{ namespaceSelector: controller }]]);
  const [settings] = at("ConfigMap", "data");
  expect(readConfig(z.record(z.string(), z.string()).parse(settings)).admin?.host).toBe("127.0.0.1");
});

test("the ServiceMonitor is valid", () => {
  states(
    "docs/deploy.md",
    "Metrics with `serviceMonitor.enabled=true`, for the Prometheus operator: the listener then accepts connections from the namespace `serviceMonitor.namespace`.",
    "With the Prometheus operator, take the line `components: [monitoring]` out of its comment.",
  );
  expect(problemsOfResource(monitor)).toEqual([]);
});

test("nodes reach receivers of webhooks at public addresses, and nothing else at their port", () => {
  states(
    "docs/deploy.md",
    "and they reach only DNS, the ports in `networkPolicy.egressPorts`, and port 443 of public addresses, for webhooks.",
  );
  const policy = resources.find(({ kind }) => kind === "NetworkPolicy");
  const rules = valuesAt(policy, "spec.egress.*").map((rule) => Egress.parse(rule));
  const reaches = (text: string, port: number) =>
    rules.some(({ to, ports }) => {
      const address = ipaddr.parse(text);
      const isIn = (range: string) => {
        const [network, length] = ipaddr.parseCIDR(range);
        return network.kind() === address.kind() && address.match([network, length]);
      };
      const isOpen = to?.some(({ ipBlock: { cidr, except } }) => isIn(cidr) && !except.some(isIn)) ?? true;
      return isOpen && ports.some((one) => one.port === port);
    });
  for (const address of ["203.0.113.7", "8.8.8.8", "2606:4700::1111"]) {
    expect([443, 80, 8443, 5432].filter((port) => reaches(address, port))).toEqual([443, 5432]);
  }
  for (const address of [
    "10.0.0.7",
    "172.31.0.7",
    "192.168.1.7",
    "169.254.169.254",
    "100.64.0.7",
    "fd00::7",
    "fe80::7",
  ]) {
    expect([53, 443, 5432, 6379].filter((port) => reaches(address, port))).toEqual([53, 5432, 6379]);
  }
});

test("the Helm chart takes each setting in its values, but for those that are secrets", () => {
  const chart = JSON.parse(
    readFileSync(join(import.meta.dir, "../../deploy/helm/petstore/values.schema.json"), "utf8"),
  );
  const isValid = new Ajv2020({ strict: false }).compile(chart);
  const taken = (value: string) => variables.filter(({ name }) => isValid({ settings: { [name]: value } }));
  const isSecret = ({ name, text = "" }: (typeof variables)[number]) =>
    /(SECRET|TOKEN|PASSWORD)(_|$)|^REDIS_URL$/.test(name) || /:password@/.test(text);
  expect(taken("1").map(({ name }) => name)).toEqual(variables.filter((one) => !isSecret(one)).map(({ name }) => name));
  expect(variables.filter(isSecret).length).toBeGreaterThan(5);
});

test("the schema of the chart accepts the values that a cluster accepts, and no others", () => {
  const chart = JSON.parse(readFileSync(join(DEPLOY, "helm/petstore/values.schema.json"), "utf8"));
  const isValid = new Ajv2020({ strict: false }).compile(chart);
  /** By the value's name with dots: what is accepted, and what is refused. */
  const cases: Record<string, [accepted: unknown[], refused: unknown[]]> = {
    deployment: [
      ["production", "staging"],
      ["test", ""],
    ],
    store: [
      ["postgres", "sqlite"],
      ["redis", ""],
    ],
    baseUrl: [
      ["https://a.example/v1", "http://127.0.0.1:8080/v1", "https://a.example:8443/pets/v1"],
      ["https://a.example", "https://a.example/v1/", "https:///v1", "a.example/v1", "ftp://a.example/v1"],
    ],
    stagingBaseUrl: [["https://a.example/v1"], ["https://a.example/v2"]],
    existingSecret: [["petstore", ""], [1]],
    "persistence.size": [
      ["10Gi", "1.5Ti", "500M", "1000000", "2T", "8Ki", "8K", "9Mi", "3G"],
      ["10GB", "ten", "10 Gi", "-1Gi", ""],
    ],
    "persistence.storageClass": [["", "fast"], [1]],
    "autoscaling.minReplicas": [
      [1, 50],
      [0, 1.5, "2"],
    ],
    "autoscaling.maxReplicas": [
      [1, 50],
      [0, 1.5, "2"],
    ],
    "autoscaling.targetCPUUtilizationPercentage": [
      [1, 100],
      [0, 101],
    ],
    trustedProxies: [["10.0.0.0/8,::1", ""], [10]],
    "settings.PETSTORE_ADDRESS_LIMIT": [["600"], [600]],
    "settings.petstore_address_limit": [[], ["600"]],
    "image.repository": [["registry.example.com/petstore"], ["", 1]],
    "image.tag": [["", "1.0.0"], [1]],
    "image.pullPolicy": [
      ["Always", "IfNotPresent", "Never"],
      ["always", ""],
    ],
    imagePullSecrets: [
      [[], [{ name: "hub" }]],
      [["hub"], "hub"],
    ],
    "ingress.enabled": [[true, false], ["true"]],
    "ingress.className": [["nginx", ""], [1]],
    "ingress.tlsSecret": [["cert", ""], [1]],
    "ingress.annotations": [[{}, { a: "b" }], [{ a: 75 }]],
    "networkPolicy.enabled": [[true, false], ["true"]],
    "networkPolicy.ingressNamespace": [["edge"], [""]],
    "networkPolicy.egressPorts": [
      [[], [1, 65_535]],
      [[0], [65_536], ["443"], 443],
    ],
    "serviceMonitor.enabled": [[true, false], ["true"]],
    "serviceMonitor.namespace": [["monitoring"], [""]],
    "serviceMonitor.interval": [
      ["500ms", "15s", "1m", "1h"],
      ["15", 15, "1 m", ""],
    ],
    "serviceMonitor.labels": [[{}, { release: "stack" }], [{ release: 1 }]],
    podAnnotations: [[{ a: "b" }], [{ a: 1 }]],
    nodeSelector: [[{ a: "b" }], [{ a: true }]],
    tolerations: [[[], [{ key: "busy" }]], [["busy"]]],
    nameOverride: [["", "pets"], [1]],
    fullnameOverride: [["", "pets"], [1]],
    databasePool: [
      [readPool("3"), readPool("1000")],
      [2, 1_001],
    ],
  };
  const given = (path: string, value: unknown) =>
    path.split(".").reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
  for (const [path, [accepted, refused]] of Object.entries(cases)) {
    for (const value of accepted) expect([path, value, isValid(given(path, value))]).toEqual([path, value, true]);
    for (const value of refused) expect([path, value, isValid(given(path, value))]).toEqual([path, value, false]);
  }
  for (const group of ["persistence", "autoscaling", "image", "ingress", "networkPolicy", "serviceMonitor"])
    expect([group, isValid({ [group]: { unknown: 1 } })]).toEqual([group, false]);
  expect(isValid({ unknown: 1 })).toBe(false);
  // What Helm itself gives to a chart that is part of another one.
  expect(isValid({ global: {} })).toBe(true);
});

/** What the service makes of this number of connections. */
function readPool(text: string): number {
  const { database } = readConfig({ DATABASE_URL: "postgres://host/petstore", PETSTORE_DATABASE_POOL: text });
  return database.engine === "postgres" ? database.poolSize : Number.NaN;
}

test("the notes of the chart and the comments lead operators to the port of the console", () => {
  states(
    "docs/deploy.md",
    "`helm install` prints how to reach the console and the first key.",
    "Change `images` in `kustomization.yaml`, the addresses in `petstore.yaml` and `ingress.yaml`, and the namespace of the ingress controller in `network-policy.yaml`;",
  );
  states("docs/deploy.md", "The console by `kubectl port-forward`.");
  const port = String(readConfig({}).admin?.port);
  for (const name of ["helm/petstore/templates/NOTES.txt", "kubernetes/petstore.yaml"]) {
    const text = readFileSync(join(import.meta.dir, "../../deploy", name), "utf8");
    const forwarded = [...text.matchAll(/port-forward .*?\b(\d+)\b|127\.0\.0\.1:(\d+)\/console/g)];
    expect([name, ...forwarded.map(([, one, other]) => one ?? other)]).toEqual([name, port, port]);
  }
});

describe("a fault in the objects is noticed:", () => {
  /** Maps whose keys are free. */
  const FREE = /(labels|annotations|data|matchLabels|selector|nodeSelector|requests|limits)$/;

  /** Every object in a value, with its path. */
  function objectsWithin(value: unknown, path = ""): [path: string, object: object][] {
    if (typeof value !== "object" || value === null) return [];
    const inner = Object.entries(value).flatMap(([key, item]) => objectsWithin(item, `${path}.${key}`));
    return Array.isArray(value) ? inner : [[path, value], ...inner];
  }

  test.each([...resources, ...(monitor ? [monitor] : [])])("a misspelled field anywhere in $kind", (resource) => {
    const paths = objectsWithin(resource).map(([path]) => path);
    for (const path of paths.filter((path) => !FREE.test(path))) {
      const changed = structuredClone(resource);
      const [, target] = objectsWithin(changed).find(([other]) => other === path) ?? [];
      Object.assign(target ?? {}, { misspeled: "x" });
      expect([path, problemsOfResource(changed).length > 0]).toEqual([path, true]);
    }
  });

  const planted: [name: string, text: string, changed: string][] = [
    ["a port of the Ingress", '"port":{"name":"http"}', '"port":{"name":"web"}'],
    ["a service of the Ingress", '"service":{"name":"petstore"', '"service":{"name":"pets"'],
    ["a target of the Service", '"targetPort":"http"', '"targetPort":"web"'],
    ["a port of a probe", '"path":"/livez","port":"http"', '"path":"/livez","port":"web"'],
    ["a port of the NetworkPolicy", '"port":"http","protocol"', '"port":"web","protocol"'],
    ["the target of the autoscaler", '"kind":"Deployment","name":"petstore"}', '"kind":"Deployment","name":"pets"}'],
    ["the settings of the pod", '"configMapRef":{"name":"petstore"}', '"configMapRef":{"name":"pets"}'],
    [
      "the labels of the pod",
      '"template":{"metadata":{"labels":{"app.kubernetes.io/name":"petstore"',
      '"template":{"metadata":{"labels":{"app.kubernetes.io/name":"pets"',
    ],
  ];
  test.each(planted)("%s", (_, text, changed) => {
    const before = JSON.stringify(resources);
    expect(before).toContain(text);
    expect(danglingReferences(JSON.parse(before.replaceAll(text, changed)))).not.toEqual([]);
  });
});

test("the chart, the page and the comments name the same version of Kubernetes", () => {
  states(
    "docs/deploy.md",
    "Push the image to your registry, then create the secret with the addresses of PostgreSQL and Redis (or Valkey), which you run elsewhere:",
    "Or one node with SQLite on a volume, which needs neither:",
  );
  const chart = parse(readFileSync(join(DEPLOY, "helm/petstore/Chart.yaml"), "utf8"));
  const page = readFileSync(join(DEPLOY, "../docs/deploy.md"), "utf8");
  const objects = readFileSync(join(DEPLOY, "kubernetes/petstore.yaml"), "utf8");
  const [, onPage] = /needs Kubernetes (\d+\.\d+) and Helm/.exec(page) ?? [];
  const [, inObjects] = /Needs Kubernetes (\d+\.\d+)\./.exec(objects) ?? [];
  expect([`>=${onPage}.0-0`, inObjects]).toEqual([chart.kubeVersion, onPage]);
});

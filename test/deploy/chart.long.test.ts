/** What the Helm chart makes of each value in values.yaml. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import manifest from "../../package.json" with { type: "json" };
import { LINK_LENGTH } from "../../src/domain/operators.ts";
import { describeObjects, podOf } from "./describe-objects.ts";
import { hasHelm, notes, templated } from "./kubernetes-objects.ts";
import { danglingReferences, valuesAt } from "./references.ts";
import { problemsOfResource, type Resource } from "./schemas/problems.ts";

if (!hasHelm) console.log("skipped: the values of the Helm chart are not rendered, without helm on this machine");

const VALUES = join(import.meta.dir, "../../deploy/helm/petstore/values.yaml");
const one = (resources: Resource[], kind: string) => resources.find((resource) => resource.kind === kind);
const kinds = (resources: Resource[]) => resources.map(({ kind }) => kind);

/** The names of the values, with dots; maps that are empty by default are one. */
function leavesOf(value: unknown, path = ""): string[] {
  const isGroup = typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;
  if (!isGroup) return [path];
  return Object.entries(value).flatMap(([key, item]) => leavesOf(item, path === "" ? key : `${path}.${key}`));
}

const NAMESPACE = (name: string) => ({
  namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": name } },
});
type Expected = [value: string, kind: string, object: object];

/** Values that all differ from the default, and what they make of the objects. */
const WITH_POSTGRES: Expected[] = [
  [
    "baseUrl=https://shop.example:8443/pets/v1",
    "ConfigMap",
    { data: { PETSTORE_BASE_URL: "https://shop.example:8443/pets/v1" } },
  ],
  [
    "stagingBaseUrl=https://try.example/v1",
    "ConfigMap",
    { data: { PETSTORE_STAGING_BASE_URL: "https://try.example/v1" } },
  ],
  ["autoscaling.minReplicas=3", "HorizontalPodAutoscaler", { spec: { minReplicas: 3 } }],
  ["autoscaling.maxReplicas=5", "HorizontalPodAutoscaler", { spec: { maxReplicas: 5 } }],
  ["autoscaling.maxReplicas=5", "ConfigMap", { data: { PETSTORE_NODES: "5" } }],
  [
    "autoscaling.targetCPUUtilizationPercentage=55",
    "HorizontalPodAutoscaler",
    { spec: { metrics: [{ resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 55 } } }] } },
  ],
  ["databasePool=9", "ConfigMap", { data: { PETSTORE_DATABASE_POOL: "9" } }],
  ["trustedProxies=10.9.0.0/16", "ConfigMap", { data: { PETSTORE_TRUSTED_PROXIES: "10.9.0.0/16" } }],
  ["settings.PETSTORE_MCP=off", "ConfigMap", { data: { PETSTORE_MCP: "off" } }],
  [
    "existingSecret=elsewhere",
    "Deployment",
    { spec: { template: { spec: { containers: [{ envFrom: [{}, { secretRef: { name: "elsewhere" } }] }] } } } },
  ],
  // The host of the base address, without its port.
  ["ingress.className=edge", "Ingress", { spec: { ingressClassName: "edge", rules: [{ host: "shop.example" }] } }],
  ["ingress.tlsSecret=cert", "Ingress", { spec: { tls: [{ hosts: ["shop.example"], secretName: "cert" }] } }],
  ["ingress.annotations.team=pets", "Ingress", { metadata: { annotations: { team: "pets" } } }],
  ["networkPolicy.ingressNamespace=edge", "NetworkPolicy", { spec: { ingress: [{ from: [NAMESPACE("edge")] }, {}] } }],
  ["serviceMonitor.enabled=true", "ServiceMonitor", { spec: { endpoints: [{ port: "admin" }] } }],
  ["serviceMonitor.namespace=watch", "NetworkPolicy", { spec: { ingress: [{}, { from: [NAMESPACE("watch")] }] } }],
  ["serviceMonitor.interval=30s", "ServiceMonitor", { spec: { endpoints: [{ interval: "30s" }] } }],
  ["serviceMonitor.labels.release=stack", "ServiceMonitor", { metadata: { labels: { release: "stack" } } }],
];

const CLAIM = (spec: object) => ({ spec: { volumeClaimTemplates: [{ metadata: { name: "data" }, spec }] } });
const WITH_SQLITE: Expected[] = [
  ["store=sqlite", "StatefulSet", { spec: { replicas: 1, serviceName: "petstore" } }],
  ["persistence.size=3Gi", "StatefulSet", CLAIM({ resources: { requests: { storage: "3Gi" } } })],
  ["persistence.storageClass=fast", "StatefulSet", CLAIM({ storageClassName: "fast" })],
];

/** Those that other tests of the chart change. */
const ELSEWHERE =
  /^(deployment|image\..*|imagePullSecrets|resources\..*|podAnnotations|nodeSelector|tolerations|networkPolicy\.(enabled|egressPorts)|ingress\.enabled|nameOverride|fullnameOverride)$/;

describe.skipIf(!hasHelm)("of the chart,", () => {
  test("each value is tried", () => {
    const tried = [...WITH_POSTGRES, ...WITH_SQLITE].map(([value]) => value.split("=")[0] ?? "");
    const leaves = leavesOf(parse(readFileSync(VALUES, "utf8")));
    const isTried = (leaf: string) =>
      tried.some((name) => name === leaf || name.startsWith(`${leaf}.`) || leaf.startsWith("ingress.annotations."));
    expect(leaves.filter((leaf) => !isTried(leaf) && !ELSEWHERE.test(leaf))).toEqual([]);
    expect(leaves.length).toBeGreaterThan(30);
  });

  test.each([
    ["PostgreSQL", WITH_POSTGRES],
    ["SQLite", WITH_SQLITE],
  ])("each value on %s is in the object that it is about", (_, expected) => {
    const resources = templated([...new Set(expected.map(([value]) => value))]);
    for (const [value, kind, object] of expected) expect([value, one(resources, kind)]).toMatchObject([value, object]);
    for (const resource of resources) expect(problemsOfResource(resource)).toEqual([]);
    expect(danglingReferences(resources)).toEqual([]);
  });

  test("what is switched off or empty is not there", () => {
    const off = templated(["ingress.enabled=false", "networkPolicy.enabled=false"]);
    expect(kinds(off)).toEqual([
      "PodDisruptionBudget",
      "ConfigMap",
      "Service",
      "Deployment",
      "HorizontalPodAutoscaler",
    ]);
    const [ingress] = valuesAt(one(templated(["ingress.className=", "ingress.tlsSecret="]), "Ingress"), "spec");
    expect(ingress).not.toHaveProperty("ingressClassName");
    expect(ingress).not.toHaveProperty("tls");
    const sqlite = (...values: string[]) => {
      const [set] = templated(["store=sqlite", ...values]).filter(({ kind }) => kind === "StatefulSet");
      return { set, from: valuesAt(set, "spec.template.spec.containers.0.envFrom.*") };
    };
    // Its secret may be missing, as it has no addresses.
    const { set, from } = sqlite();
    expect(from).toEqual([{ configMapRef: { name: "petstore" } }, { secretRef: { name: "petstore", optional: true } }]);
    expect(JSON.stringify(set)).not.toContain("storageClassName");
    expect(sqlite("existingSecret=").from).toEqual([{ configMapRef: { name: "petstore" } }]);
  });

  test("an object is pulled and kept as a cluster needs it by default", () => {
    const resources = templated(["store=sqlite"]);
    const pod = podOf(resources);
    expect(valuesAt(pod, "spec.template.spec.containers.0.imagePullPolicy")).toEqual(["IfNotPresent"]);
    const [size] = valuesAt(pod, "spec.volumeClaimTemplates.0.spec.resources.requests.storage");
    expect(Number(/^(\d+)Gi$/.exec(String(size))?.[1])).toBeGreaterThanOrEqual(5);
  });

  test.each([
    ["petstore", [], "petstore"],
    ["shop", [], "shop-petstore"],
    ["my-petstore-2", [], "my-petstore-2"],
    ["shop", ["nameOverride=pets"], "shop-pets"],
    ["shop", ["fullnameOverride=zoo"], "zoo"],
    ["shop", [`fullnameOverride=${"a".repeat(62)}-bcd`], "a".repeat(62)],
    ["s".repeat(53), [], `${"s".repeat(53)}-petstore`],
  ])("a release %s with %p has objects by one name, which is short enough", (release, values, name) => {
    const resources = templated([...values, "serviceMonitor.enabled=true"], release);
    const names = new Set(resources.map(({ metadata }) => metadata.name));
    expect([...names].filter((one) => !one.endsWith("-admin"))).toEqual([name]);
    expect(names.size).toBe(2);
    // A Service is a label of DNS.
    expect([...names].filter((one) => one.length > 63)).toEqual([]);
    expect(danglingReferences(resources)).toEqual([]);
  });

  test("objects say what they belong to, which version they are, and who manages them", () => {
    for (const { kind, metadata } of templated(["serviceMonitor.enabled=true"], "shop")) {
      expect([kind, metadata.labels]).toEqual([
        kind,
        expect.objectContaining({
          "app.kubernetes.io/name": "petstore",
          "app.kubernetes.io/instance": "shop",
          "app.kubernetes.io/version": manifest.version,
          "app.kubernetes.io/managed-by": "Helm",
          "helm.sh/chart": `petstore-${manifest.version}`,
        }),
      ]);
    }
  });

  test("Prometheus has the nodes as the job that the alerts expect", () => {
    const resources = templated(["serviceMonitor.enabled=true"], "shop");
    const [label] = valuesAt(one(resources, "ServiceMonitor"), "spec.jobLabel");
    const service = resources.find(({ metadata }) => metadata.name.endsWith("-admin"));
    const alerts = readFileSync(join(import.meta.dir, "../../deploy/prometheus/alerts.yml"), "utf8");
    expect(alerts).toContain(`job="${service?.metadata.labels[String(label)]}"`);
    // Without an address of its own, or Prometheus would see one node at a time.
    expect(valuesAt(service, "spec.clusterIP")).toEqual(["None"]);
  });

  test.each([
    ["production", "postgres", "https://api.example.com/v1"],
    ["staging", "sqlite", "https://staging.example.com/v1"],
  ])("the notes of %s on %s name its address, its version and the log of its nodes", (deployment, store, address) => {
    const values = [`deployment=${deployment}`, `store=${store}`];
    const text = notes(values);
    const title = `${deployment[0]?.toUpperCase()}${deployment.slice(1)}`;
    expect(text).toContain(`${title} of Petstore ${manifest.version}, with ${store}.`);
    expect(text).toContain(`Clients call ${address}.`);
    expect(text).toContain(`for ${LINK_LENGTH / 60_000} minutes a link`);
    const [, label = "", value] = /kubectl logs --namespace default --selector (\S+)=(\S+) --tail -1/.exec(text) ?? [];
    const [labels] = valuesAt(podOf(templated(values)), "spec.template.metadata.labels");
    expect([label, Object(labels)[label]]).toEqual([expect.stringContaining("/"), value]);
    expect(text.match(/--namespace default/g)).toHaveLength(3);
    expect(notes([...values, "ingress.enabled=false"])).not.toContain("Clients call");
  });
});

if (hasHelm) {
  describeObjects("the chart on SQLite with monitoring", templated(["store=sqlite", "serviceMonitor.enabled=true"]));
  describeObjects("the chart for staging on SQLite", templated(["store=sqlite", "deployment=staging"], "staging"));
}

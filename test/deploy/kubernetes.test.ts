import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DockerfileParser } from "dockerfile-ast";
import { parse } from "yaml";
import { z } from "zod";
import manifest from "../../package.json" with { type: "json" };
import { readConfig } from "../../src/wiring/config.ts";
import { useService } from "../support/use-service.ts";
import { hasHelm, hasKubectl, kustomized, objectsOf, templated } from "./kubernetes-objects.ts";
import { danglingReferences, valuesAt } from "./references.ts";
import { problemsOfResource, type Resource } from "./schemas/problems.ts";

if (!hasKubectl) console.log("skipped: the kustomization is not built, without kubectl on this machine");
if (!hasHelm) console.log("skipped: the Helm chart is not rendered, without helm on this machine");

const DEPLOY = join(import.meta.dir, "../../deploy");
const FILES = ["petstore.yaml", "ingress.yaml", "network-policy.yaml"];
const SECRET = { DATABASE_URL: "postgres://host/petstore", REDIS_URL: "redis://host" };

/** The variables that the image sets. */
const IMAGE = Object.fromEntries(
  DockerfileParser.parse(readFileSync(join(DEPLOY, "Containerfile"), "utf8"))
    .getENVs()
    .flatMap((env) => env.getProperties().map((property) => [property.getName(), property.getValue()])),
);

/** The sets of objects that a cluster may get. */
const sets: Record<string, Resource[]> = {
  "the files of the kustomization": FILES.flatMap(objectsOf),
  ...(hasKubectl && {
    "the kustomization": kustomized({ monitoring: false }),
    "the kustomization with monitoring": kustomized({ monitoring: true }),
  }),
  ...(hasHelm && {
    "the chart": templated(),
    "the chart with monitoring": templated(["serviceMonitor.enabled=true"]),
    "the chart on SQLite": templated(["store=sqlite", "existingSecret="]),
    "the chart for staging": templated(["deployment=staging"], "staging"),
  }),
};
const one = (resources: Resource[], kind: string) => resources.find((resource) => resource.kind === kind);
const podOf = (resources: Resource[]) => one(resources, "Deployment") ?? one(resources, "StatefulSet");
const CONTAINER = "spec.template.spec.containers.0";

describe.each(Object.entries(sets))("%s", (_, resources) => {
  const pod = podOf(resources);
  const container = z.record(z.string(), z.unknown()).parse(valuesAt(pod, CONTAINER)[0]);
  const data = z.record(z.string(), z.string()).parse(valuesAt(one(resources, "ConfigMap"), "data")[0]);
  const isOnSqlite = pod?.kind === "StatefulSet";
  const config = readConfig({ ...IMAGE, ...data, ...(isOnSqlite ? {} : SECRET) });

  test("has only valid objects, and each only once", () => {
    for (const resource of resources)
      expect([resource.kind, problemsOfResource(resource)]).toEqual([resource.kind, []]);
    const names = resources.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(new Set(names).size).toBe(names.length);
  });

  test("refers only to what exists", () => {
    expect(danglingReferences(resources)).toEqual([]);
  });

  test("runs this version without privileges", () => {
    expect(valuesAt(pod, "spec.template.spec.securityContext")[0]).toMatchObject({
      runAsNonRoot: true,
      runAsUser: 65_532,
      seccompProfile: { type: "RuntimeDefault" },
    });
    expect(container).toMatchObject({
      image: expect.stringMatching(new RegExp(`(^|/)petstore:${manifest.version}$`)),
      securityContext: {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] },
      },
    });
  });

  test("opens the ports at which the service listens by these settings", () => {
    const ports: Record<string, number> = { http: config.port };
    // On the loopback address of the pod it needs no port.
    if (config.admin?.host === "0.0.0.0") ports.admin = config.admin.port;
    expect(config.host).toBe("0.0.0.0");
    expect(container.ports).toEqual(Object.entries(ports).map(([name, containerPort]) => ({ name, containerPort })));
    expect(config.admin?.port).toBe(8081);
  });

  test("gives a node the time that it needs to stop", () => {
    const [grace] = valuesAt(pod, "spec.template.spec.terminationGracePeriodSeconds");
    const [wait] = valuesAt(container, "lifecycle.preStop.sleep.seconds");
    // The service ends at most 10 s after the signal (docs/operations.md).
    expect(Number(grace)).toBeGreaterThan(Number(wait) + 10);
  });

  test("is called by the host name of its base address", () => {
    const { hostname } = new URL(config.baseUrls[config.deployment]);
    const ingress = one(resources, "Ingress");
    expect(valuesAt(ingress, "spec.rules.*.host")).toEqual([hostname]);
    expect(valuesAt(ingress, "spec.tls.*.hosts.*")).toEqual([hostname]);
  });

  test("leaves PostgreSQL enough connections, or keeps SQLite on a volume of one node", () => {
    if (config.database.engine === "postgres") {
      expect(valuesAt(one(resources, "HorizontalPodAutoscaler"), "spec.maxReplicas")).toEqual([config.nodes]);
      // PostgreSQL reserves 3 of its 100 connections for superusers; a rollout has one more node.
      expect(config.database.poolSize * (config.nodes + 1)).toBeLessThanOrEqual(97);
      return;
    }
    expect(valuesAt(pod, "spec.replicas")).toEqual([1]);
    expect(one(resources, "HorizontalPodAutoscaler")).toBeUndefined();
    const [mount] = valuesAt(container, "volumeMounts.*.mountPath");
    expect(config.database.path).toStartWith(`${mount}/`);
    expect(valuesAt(pod, "spec.template.spec.securityContext.fsGroup")).toEqual([65_532]);
  });
});

describe("a fault in the objects is noticed:", () => {
  const resources = sets["the chart with monitoring"] ?? sets["the files of the kustomization"] ?? [];
  /** Maps whose keys are free. */
  const FREE = /(labels|annotations|data|matchLabels|selector|nodeSelector|requests|limits)$/;

  /** Every object in a value, with its path. */
  function objectsWithin(value: unknown, path = ""): [path: string, object: object][] {
    if (typeof value !== "object" || value === null) return [];
    const inner = Object.entries(value).flatMap(([key, item]) => objectsWithin(item, `${path}.${key}`));
    return Array.isArray(value) ? inner : [[path, value], ...inner];
  }

  test.each(resources)("a misspelled field anywhere in $kind", (resource) => {
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

describe("the running service has every path that the objects name:", () => {
  const service = useService();
  const pod = podOf(sets["the files of the kustomization"] ?? []);
  const probed = ["startupProbe", "readinessProbe", "livenessProbe"].flatMap((probe) => {
    return valuesAt(pod, `${CONTAINER}.${probe}.httpGet.path`);
  });

  test("probes, at the public port", async () => {
    expect(probed).toEqual(["/readyz", "/readyz", "/livez"]);
    for (const path of probed) expect((await fetch(`${service.url}${path}`)).status).toBe(200);
  });

  test("metrics, at the administration port", async () => {
    const [monitor] = objectsOf("monitoring/service-monitor.yaml").filter(({ kind }) => kind === "ServiceMonitor");
    for (const path of valuesAt(monitor, "spec.endpoints.*.path")) {
      expect(await (await fetch(`${service.adminUrl}${path}`)).text()).toContain("petstore_build_info");
    }
  });
});

describe.skipIf(!hasKubectl)("the kustomization", () => {
  test("applies every file, under the name of the image in a registry", () => {
    const objects = sets["the kustomization"] ?? [];
    const { resources, images } = parse(readFileSync(join(DEPLOY, "kubernetes/kustomization.yaml"), "utf8"));
    expect(resources).toEqual(FILES);
    expect(objects).toHaveLength(FILES.flatMap(objectsOf).length);
    expect(images).toEqual([{ name: "petstore", newName: expect.any(String), newTag: manifest.version }]);
    expect(valuesAt(podOf(objects), `${CONTAINER}.image`)).toEqual([`${images[0].newName}:${manifest.version}`]);
  });
});

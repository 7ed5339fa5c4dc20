import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DockerfileParser } from "dockerfile-ast";
import { z } from "zod";
import manifest from "../../package.json" with { type: "json" };
import { readConfig } from "../../src/wiring/config.ts";
import { states } from "../support/markdown.ts";
import { danglingReferences, valuesAt } from "./references.ts";
import { problemsOfResource, type Resource } from "./schemas/problems.ts";

/** What an operator's secret may have. */
const SECRET = { DATABASE_URL: "postgres://host/petstore", REDIS_URL: "redis://host" };

/** The variables that the image sets. */
const IMAGE = Object.fromEntries(
  DockerfileParser.parse(readFileSync(join(import.meta.dir, "../../deploy/Containerfile"), "utf8"))
    .getENVs()
    .flatMap((env) => env.getProperties().map((property) => [property.getName(), property.getValue()])),
);

const one = (resources: Resource[], kind: string) => resources.find((resource) => resource.kind === kind);
/** What runs the nodes. */
export const podOf = (resources: Resource[]) => one(resources, "Deployment") ?? one(resources, "StatefulSet");
/** The container of a node. */
export const CONTAINER = "spec.template.spec.containers.0";

/** Tests that hold for any set of objects that a cluster may get. */
export function describeObjects(name: string, resources: Resource[]): void {
  describe(name, () => testObjects(resources));
}

function testObjects(resources: Resource[]): void {
  const pod = podOf(resources);
  const container = z.record(z.string(), z.unknown()).parse(valuesAt(pod, CONTAINER)[0]);
  const data = z.record(z.string(), z.string()).parse(valuesAt(one(resources, "ConfigMap"), "data")[0]);
  const own = z.array(z.object({ name: z.string(), value: z.string() })).parse(container.env ?? []);
  // What the pod sets itself is stronger than what the secret has.
  const env = Object.fromEntries(own.map(({ name, value }) => [name, value]));
  const config = readConfig({ ...IMAGE, ...data, ...SECRET, ...env });

  test("has only valid objects, and each only once", () => {
    for (const resource of resources)
      expect([resource.kind, problemsOfResource(resource)]).toEqual([resource.kind, []]);
    const names = resources.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(new Set(names).size).toBe(names.length);
  });

  test("refers only to what exists", () => {
    expect(danglingReferences(resources)).toEqual([]);
  });

  test("has its metrics scraped with the label of its deployment", () => {
    const monitors = resources.filter(({ kind }) => kind === "ServiceMonitor");
    const labels = monitors.flatMap((monitor) => valuesAt(monitor, "spec.endpoints.*.relabelings.*"));
    expect(labels).toEqual(monitors.map(() => ({ targetLabel: "deployment", replacement: config.deployment })));
  });

  test("runs this version without privileges", () => {
    states("docs/deploy.md", "spread over machines, 2 to 12 by processor load.");
    states("docs/deploy.md", "Nodes without privileges and with a read-only file system");
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
    // The service ends at most 10 s after the signal (docs/running.md).
    expect(Number(grace)).toBeGreaterThan(Number(wait) + 10);
  });

  test("asks a node whether it lives and whether it is ready, at its port, and gives it half a minute to start", () => {
    states(
      "docs/deploy.md",
      "Probes: a node that is not ready gets no requests; one that does not respond is restarted.",
    );
    const probe = (name: string) => Object(container[name]);
    expect(probe("livenessProbe").httpGet).toEqual({ path: "/livez", port: "http" });
    expect(probe("readinessProbe").httpGet).toEqual({ path: "/readyz", port: "http" });
    expect(probe("startupProbe").httpGet).toEqual({ path: "/readyz", port: "http" });
    // A node without its database gets no requests from the next second on, and is not killed for it.
    expect(probe("readinessProbe")).toMatchObject({ periodSeconds: 1, failureThreshold: 1, timeoutSeconds: 3 });
    const { periodSeconds, failureThreshold, timeoutSeconds } = probe("livenessProbe");
    expect(periodSeconds * failureThreshold).toBeWithin(10, 31);
    expect(timeoutSeconds).toBeLessThan(periodSeconds);
    expect(probe("startupProbe").periodSeconds * probe("startupProbe").failureThreshold).toBeGreaterThanOrEqual(30);
  });

  test("gives a node the memory that it needs under load, and no credentials of the cluster", () => {
    const [limit] = valuesAt(container, "resources.limits.memory");
    const [request] = valuesAt(container, "resources.requests.memory");
    const mebibytes = (text: unknown) => Number(/^(\d+)Mi$/.exec(String(text))?.[1]);
    expect(mebibytes(limit)).toBeGreaterThanOrEqual(2 * mebibytes(request));
    expect(mebibytes(request)).toBeGreaterThanOrEqual(128);
    const [spec] = valuesAt(pod, "spec.template.spec");
    expect(spec).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false });
    expect(container.args).toEqual(["serve"]);
  });

  test("is called by the host name of its base address", () => {
    states(
      "docs/deploy.md",
      "An Ingress for the host of the base address, with the certificate in `ingress.tlsSecret`. Set `trustedProxies` to the network of your ingress controller.",
    );
    states("docs/deploy.md", "An Ingress for the host of the base address");
    const { hostname } = new URL(config.baseUrls[config.deployment]);
    const ingress = one(resources, "Ingress");
    expect(valuesAt(ingress, "spec.rules.*.host")).toEqual([hostname]);
    expect(valuesAt(ingress, "spec.tls.*.hosts.*")).toEqual([hostname]);
  });

  test("leaves PostgreSQL enough connections, or keeps SQLite on a volume of one node", () => {
    states(
      "docs/deploy.md",
      "With SQLite it is one node that stops before the new one starts; turn on backups under `settings`.",
    );
    states("docs/deploy.md", "With SQLite it is one node that stops before the new one starts");
    if (config.database.engine === "postgres") {
      expect(valuesAt(one(resources, "HorizontalPodAutoscaler"), "spec.maxReplicas")).toEqual([config.nodes]);
      // PostgreSQL reserves 3 of its 100 connections for superusers; a rollout has one more node.
      expect(config.database.poolSize * (config.nodes + 1)).toBeLessThanOrEqual(97);
      return;
    }
    expect(valuesAt(pod, "spec.replicas")).toEqual([1]);
    expect(config.redisUrl).toBeUndefined();
    expect(one(resources, "HorizontalPodAutoscaler")).toBeUndefined();
    const [mount] = valuesAt(container, "volumeMounts.*.mountPath");
    expect(config.database.path).toStartWith(`${mount}/`);
    expect(valuesAt(pod, "spec.template.spec.securityContext.fsGroup")).toEqual([65_532]);
    // Two nodes on one volume would be two services on one database.
    expect(valuesAt(pod, "spec.volumeClaimTemplates.*.spec.accessModes")).toEqual([["ReadWriteOnce"]]);
  });
}

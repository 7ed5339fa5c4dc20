import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import manifest from "../../package.json" with { type: "json" };
import { states } from "../support/markdown.ts";
import { useService } from "../support/use-service.ts";
import { CONTAINER, describeObjects, podOf } from "./describe-objects.ts";
import {
  FILES,
  hasHelm,
  hasKubectl,
  kustomized,
  lintProblems,
  notes,
  objectsOf,
  templated,
} from "./kubernetes-objects.ts";
import { danglingReferences, valuesAt } from "./references.ts";
import type { Resource } from "./schemas/problems.ts";

if (!hasKubectl) console.log("skipped: the kustomization is not built, without kubectl on this machine");
if (!hasHelm) console.log("skipped: the Helm chart is not rendered, without helm on this machine");

const CHART = join(import.meta.dir, "../../deploy/helm/petstore/Chart.yaml");
const KUSTOMIZATION = join(import.meta.dir, "../../deploy/kubernetes/kustomization.yaml");

if (hasKubectl) {
  describeObjects("the kustomization", kustomized({ monitoring: false }));
  describeObjects("the kustomization with monitoring", kustomized({ monitoring: true }));
  describeObjects("the kustomization of staging", kustomized({ monitoring: false, of: "kubernetes-staging" }));
  describeObjects(
    "the kustomization of staging with monitoring",
    kustomized({ monitoring: true, of: "kubernetes-staging" }),
  );
}
if (hasHelm) {
  describeObjects("the chart", templated());
  describeObjects("the chart with monitoring", templated(["serviceMonitor.enabled=true"]));
  describeObjects("the chart on SQLite", templated(["store=sqlite"]));
  describeObjects("the chart for staging", templated(["deployment=staging"], "staging"));
  describeObjects(
    "the chart for staging with monitoring",
    templated(["deployment=staging", "serviceMonitor.enabled=true"], "staging"),
  );
}

describe("the running service has every path that the objects name:", () => {
  const service = useService();
  const pod = podOf(FILES.flatMap(objectsOf));
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
    const objects = kustomized({ monitoring: false });
    const { resources, images } = parse(readFileSync(KUSTOMIZATION, "utf8"));
    expect(resources).toEqual(FILES);
    expect(objects).toHaveLength(FILES.flatMap(objectsOf).length);
    expect(images).toEqual([{ name: "petstore", newName: expect.any(String), newTag: manifest.version }]);
    expect(valuesAt(podOf(objects), `${CONTAINER}.image`)).toEqual([`${images[0].newName}:${manifest.version}`]);
  });
});

test.skipIf(!hasKubectl).each([{ monitoring: false }, { monitoring: true }])(
  "the kustomization of staging differs in namespace, deployment and host, and in nothing else: %o",
  ({ monitoring }) => {
    states("docs/deploy.md", "deploy/kubernetes-staging is staging beside it, in the namespace `petstore-staging`");
    const text = JSON.stringify(kustomized({ monitoring }))

      .replace('"replacement":"production"', '"replacement":"staging"')
      .replace('"PETSTORE_DEPLOYMENT":"production"', '"PETSTORE_DEPLOYMENT":"staging"')
      .replaceAll('"api.example.com"', '"staging.example.com"');
    const expected: Resource[] = JSON.parse(text);
    for (const { metadata } of expected) Object.assign(metadata, { namespace: "petstore-staging" });
    expect(kustomized({ monitoring, of: "kubernetes-staging" })).toEqual(expected);
  },
);

describe.skipIf(!hasHelm)("the Helm chart", () => {
  /** Without what only Helm adds: labels and annotations of releases, and how images are pulled. */
  function common(resources: Resource[]): Record<string, unknown> {
    const text = JSON.stringify(resources, (key, value) => {
      if (key === "annotations" || key === "imagePullPolicy") return undefined;
      if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
      const own = Object.entries(value).filter(
        ([name]) => !/^(app.kubernetes.io\/(instance|version|managed-by)|helm.sh\/chart)$/.test(name),
      );
      return Object.fromEntries(own);
    });
    const objects: Resource[] = JSON.parse(text);
    return Object.fromEntries(objects.map((object) => [`${object.kind} ${object.metadata.name}`, object]));
  }

  test("passes Helm's own checks", () => {
    expect(lintProblems()).toBe("");
  });

  test.skipIf(!hasKubectl).each([
    ["by default", false],
    ["with monitoring", true],
  ])("creates the same objects as the kustomization %s", (_, monitoring) => {
    states("docs/deploy.md", "deploy/kubernetes has the same objects without Helm");
    expect(common(templated([`serviceMonitor.enabled=${monitoring}`]))).toEqual(common(kustomized({ monitoring })));
  });

  test("installs staging beside production: no name in common, and no selector of one finds the other's nodes", () => {
    states("docs/deploy.md", "Staging is a second release, with a store and a secret of its own");
    const production = templated();
    const staging = templated(["deployment=staging"], "staging");
    const names = (resources: Resource[]) => resources.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(names(staging).filter((name) => names(production).includes(name))).toEqual([]);
    const pods = production.filter(({ kind }) => kind === "Deployment");
    for (const kind of ["NetworkPolicy", "PodDisruptionBudget", "Service"]) {
      const missing = danglingReferences([...pods, ...staging.filter((resource) => resource.kind === kind)]);
      expect(missing.filter((reference) => reference.startsWith(`${kind} `))).toHaveLength(1);
    }
  });

  const refused: [name: string, value: string][] = [
    ["a value that does not exist", "deploymnt=staging"],
    ["a value of a group that does not exist", "ingress.host=a.example"],
    ["an unknown deployment", "deployment=test"],
    ["an unknown store", "store=mysql"],
    ["a base address without its path", "baseUrl=https://a.example"],
    ["a number in place of a text", "settings.PETSTORE_ADDRESS_LIMIT=1000000"],
    ["a secret among the settings", "settings.DATABASE_URL=postgres://u:p@host/db"],
    ["PostgreSQL without its secret", "existingSecret="],
    ["too few connections", "databasePool=2"],
  ];
  test.each(refused)("refuses %s", (_, value) => {
    states("docs/deploy.md", "and a schema refuses what is not there.");
    expect(() => templated([value])).toThrow();
  });

  test.each(["postgres", "sqlite"])("gives the pod what the values say of it, on %s", (store) => {
    const resources = templated([
      `store=${store}`,
      ...["image.repository=hub.example.org/pets", "image.tag=9.8.7", "image.pullPolicy=Always"],
      ...["imagePullSecrets[0].name=hub", "podAnnotations.team=pets", "nodeSelector.disk=fast"],
      ...["tolerations[0].key=busy", "tolerations[0].operator=Exists"],
      ...["resources.requests.cpu=250m", "resources.limits.memory=1Gi"],
    ]);
    const [template] = valuesAt(
      resources.find(({ kind }) => kind === "Deployment" || kind === "StatefulSet"),
      "spec.template",
    );
    expect(template).toMatchObject({
      metadata: { annotations: { team: "pets" } },
      spec: {
        imagePullSecrets: [{ name: "hub" }],
        nodeSelector: { disk: "fast" },
        tolerations: [{ key: "busy", operator: "Exists" }],
        containers: [
          {
            ...{ image: "hub.example.org/pets:9.8.7", imagePullPolicy: "Always" },
            resources: { requests: { cpu: "250m" }, limits: { memory: "1Gi" } },
          },
        ],
      },
    });
  });

  test.each(["postgres", "sqlite"])("prints commands that name what it has installed, on %s", (store) => {
    const values = [`store=${store}`];
    const named = [...notes(values).matchAll(/ (deployment|statefulset)\/(\S+)/g)].map(([, kind, name]) => [
      kind,
      name,
    ]);
    const [node] = templated(values).filter(({ kind }) => kind === "Deployment" || kind === "StatefulSet");
    const installed = [node?.kind.toLowerCase(), node?.metadata.name];
    expect(named).toEqual([installed, installed]);
  });

  test("opens exactly the ports that the values name, be it the first or the last there is", () => {
    const policy = templated(["networkPolicy.egressPorts={1,65535}"]).find(({ kind }) => kind === "NetworkPolicy");
    const ports = valuesAt(policy, "spec.egress.*.ports.*.port");
    expect([1, 65_535, 5_432, 6_379].map((port) => ports.includes(port))).toEqual([true, true, false, false]);
    for (const port of ["0", "65536"]) expect(() => templated([`networkPolicy.egressPorts={${port}}`])).toThrow();
  });

  test("passes on further settings, which replace its own", () => {
    const resources = templated(["settings.PETSTORE_LOG_LEVEL=warn", "settings.PETSTORE_TRUSTED_PROXIES=10.1.0.0/16"]);
    const [data] = valuesAt(
      resources.find(({ kind }) => kind === "ConfigMap"),
      "data",
    );
    expect(data).toMatchObject({ PETSTORE_LOG_LEVEL: "warn", PETSTORE_TRUSTED_PROXIES: "10.1.0.0/16" });
  });

  test("replaces the nodes after a change of any setting", () => {
    const checksum = (...values: string[]) =>
      JSON.stringify(valuesAt(podOf(templated(values)), "spec.template.metadata.annotations"));
    const before = checksum();
    expect(before).toContain("checksum/settings");
    for (const value of ["settings.PETSTORE_LOG_LEVEL=warn", "databasePool=6", "trustedProxies=10.1.0.0/16"])
      expect([value, checksum(value)]).not.toEqual([value, before]);
  });

  test("has the version of the service", () => {
    const chart = parse(readFileSync(CHART, "utf8"));
    expect(chart).toMatchObject({ version: manifest.version, appVersion: manifest.version });
  });
});

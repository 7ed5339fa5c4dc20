import type { Resource } from "./schemas/problems.ts";

/** The values at a path such as `spec.ports.*.name`; `*` stands for every item or entry. */
export function valuesAt(value: unknown, path: string): unknown[] {
  const [first = "", ...rest] = path.split(".");
  if (typeof value !== "object" || value === null) return [];
  const next = Object.entries(value).flatMap(([key, item]) => (first === "*" || key === first ? [item] : []));
  return rest.length === 0 ? next : next.flatMap((item) => valuesAt(item, rest.join(".")));
}

const CONTAINER = "spec.template.spec.containers.*";
const NAMED_PORTS = ["startupProbe", "readinessProbe", "livenessProbe"].map(
  (name) => `${CONTAINER}.${name}.httpGet.port`,
);
const SELECTORS: Record<string, string> = {
  Deployment: "spec.selector.matchLabels",
  StatefulSet: "spec.selector.matchLabels",
  Service: "spec.selector",
  NetworkPolicy: "spec.podSelector.matchLabels",
  PodDisruptionBudget: "spec.selector.matchLabels",
};

/** What objects of Kubernetes name, and what does not exist among them. Secrets are the operator's own. */
export function danglingReferences(resources: Resource[]): string[] {
  const every = (kind: string) => resources.filter((resource) => resource.kind === kind);
  const names = (kind: string) => every(kind).map(({ metadata }) => metadata.name);
  const pods = [...every("Deployment"), ...every("StatefulSet")];
  const ports = pods.flatMap((pod) => valuesAt(pod, `${CONTAINER}.ports.*.name`));
  const labels = pods.flatMap((pod) => valuesAt(pod, "spec.template.metadata.labels"));
  const missing: string[] = [];
  const expectIn = (known: unknown[], named: unknown[], where: Resource) => {
    for (const name of named) {
      if (!known.includes(name)) missing.push(`${where.kind} ${where.metadata.name}: ${JSON.stringify(name)}`);
    }
  };

  for (const resource of resources) {
    const selected = valuesAt(resource, SELECTORS[resource.kind] ?? "none");
    for (const selector of selected) {
      if (!labels.some((those) => isSubset(selector, those))) expectIn([], [selector], resource);
    }
    if (resource.kind === "NetworkPolicy") expectIn(ports, valuesAt(resource, "spec.ingress.*.ports.*.port"), resource);
    if (resource.kind === "Service") expectIn(ports, valuesAt(resource, "spec.ports.*.targetPort"), resource);
    if (resource.kind === "HorizontalPodAutoscaler") {
      const [kind] = valuesAt(resource, "spec.scaleTargetRef.kind");
      expectIn(names(String(kind)), valuesAt(resource, "spec.scaleTargetRef.name"), resource);
    }
    if (resource.kind === "Ingress") {
      for (const backend of valuesAt(resource, "spec.rules.*.http.paths.*.backend.service")) {
        const services = every("Service").filter(({ metadata }) => valuesAt(backend, "name").includes(metadata.name));
        if (services.length === 0) expectIn([], valuesAt(backend, "name"), resource);
        expectIn(
          services.flatMap((service) => valuesAt(service, "spec.ports.*.name")),
          valuesAt(backend, "port.name"),
          resource,
        );
      }
    }
    if (resource.kind === "ServiceMonitor") {
      const [selector] = valuesAt(resource, "spec.selector.matchLabels");
      const services = every("Service").filter(({ metadata }) => isSubset(selector, metadata.labels));
      expectIn(
        services.flatMap((service) => valuesAt(service, "spec.ports.*.name")),
        valuesAt(resource, "spec.endpoints.*.port"),
        resource,
      );
    }
  }
  for (const pod of pods) {
    for (const path of NAMED_PORTS) expectIn(ports, valuesAt(pod, path), pod);
    expectIn(names("ConfigMap"), valuesAt(pod, `${CONTAINER}.envFrom.*.configMapRef.name`), pod);
    const volumes = valuesAt(pod, "spec.volumeClaimTemplates.*.metadata.name");
    expectIn(volumes, valuesAt(pod, `${CONTAINER}.volumeMounts.*.name`), pod);
  }
  return missing;
}

function isSubset(part: unknown, whole: unknown): boolean {
  return Object.entries(Object(part)).every(([key, value]) => Object(whole)[key] === value);
}

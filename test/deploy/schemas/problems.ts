import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { z } from "zod";

// The schemas have formats and keywords of OpenAPI, which validate nothing here.
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
for (const name of ["compose-spec", "kubernetes", "servicemonitor"]) {
  ajv.addSchema(JSON.parse(readFileSync(join(import.meta.dir, `${name}.json`), "utf8")), name);
}

/** An object of Kubernetes. */
export const Resource = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), labels: z.record(z.string(), z.string()).default({}) }),
});
export type Resource = z.infer<typeof Resource>;

function schemaOf({ apiVersion, kind }: Resource): string {
  if (kind === "ServiceMonitor") return "servicemonitor";
  const [version = "", group = "core"] = apiVersion.split("/").reverse();
  return `kubernetes#/$defs/io.k8s.api.${group.split(".")[0]}.${version}.${kind}`;
}

function found(validate: ValidateFunction | undefined, value: unknown): string[] {
  if (validate === undefined) return ["there is no schema for it"];
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message, params }) => {
    return `${instancePath} ${message} ${Object.values(params).join(" ")}`;
  });
}

/** What is wrong with an object of Kubernetes: a path and a reason each. */
export function problemsOfResource(value: unknown): string[] {
  const resource = Resource.safeParse(value);
  return resource.success ? found(ajv.getSchema(schemaOf(resource.data)), value) : ["it is no object of Kubernetes"];
}

/** What is wrong with a Compose file. */
export function problemsOfCompose(value: unknown): string[] {
  return found(ajv.getSchema("compose-spec"), value);
}

import type { ReferencePage, RequestForm } from "./reference.ts";

/** An operation of the reference, with how its request is sent. */
type Call = { title: string; group: string; form: RequestForm };

/** The calls on these pages. */
function callsOn(pages: ReferencePage[]): Call[] {
  return pages.flatMap(({ title, group, form }) => (form === undefined ? [] : [{ title, group, form }]));
}

/** The path below the base URL, with each parameter written as `name` says. */
function pathOf({ path }: RequestForm, written: (name: string) => string): string {
  return path.replace(/^\/v1/, "").replaceAll(/\{(\w+)\}/g, (_, name) => written(name));
}

/** Parameters of lists and headers that a request need not have. */
const optionalIn = ({ parameters }: RequestForm, place: string) =>
  parameters.filter((parameter) => parameter.in === place && !parameter.required);

/**
 * A collection of all operations for Postman, in its format 2.1, which Bruno and others import. The key is the variable `key`, which
 * is empty; optional parameters are switched off. A body is text, so that its integers stay exact.
 */
export function postmanCollection(pages: ReferencePage[], baseUrl: string): string {
  const itemOf = ({ title, form }: Call) => {
    const query = optionalIn(form, "query").map(({ name, values: [value = ""] = [] }) => ({
      key: name,
      value,
      disabled: true,
    }));
    const names = form.parameters.filter((parameter) => parameter.in === "path").map(({ name }) => name);
    const headers = optionalIn(form, "header").map(({ name }) =>
      name === "Idempotency-Key" ? { key: name, value: "{{$guid}}" } : { key: name, value: "", disabled: true },
    );
    return {
      name: title,
      request: {
        method: form.method,
        header: [...(form.body === undefined ? [] : [{ key: "Content-Type", value: form.body.type }]), ...headers],
        url: {
          raw: `{{baseUrl}}${pathOf(form, (name) => `:${name}`)}`,
          host: ["{{baseUrl}}"],
          path: pathOf(form, (name) => `:${name}`)
            .split("/")
            .slice(1),
          query,
          variable: names.map((key) => ({ key, value: "1" })),
        },
        ...(form.body && { body: { mode: "raw", raw: form.body.example, options: { raw: { language: "json" } } } }),
      },
    };
  };
  const collection = {
    info: {
      name: "Petstore",
      description: "Made from the service's OpenAPI document. Set the variable key to your API key.",
      schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json",
    },
    auth: { type: "bearer", bearer: [{ key: "token", value: "{{key}}", type: "string" }] },
    variable: [
      { key: "baseUrl", value: baseUrl },
      { key: "key", value: "" },
    ],
    item: [...Map.groupBy(callsOn(pages), ({ group }) => group)].map(([name, calls]) => ({
      name,
      item: calls.map(itemOf),
    })),
  };
  return `${JSON.stringify(collection, undefined, 2)}\n`;
}

/** All operations as a file for the HTTP clients of editors. The key is the variable `key` of the environment. */
export function httpFile(pages: ReferencePage[], baseUrl: string): string {
  const requests = callsOn(pages).map(({ title, form }) => {
    const optional = form.parameters.filter(({ required }) => !required).map(({ name }) => name);
    return [
      `### ${title}`,
      ...(optional.length === 0 ? [] : [`# Optional: ${optional.join(", ")}`]),
      `${form.method} {{baseUrl}}${pathOf(form, (name) => `{{${name}}}`)}`,
      "Authorization: Bearer {{key}}",
      ...(form.body === undefined ? [] : [`Content-Type: ${form.body.type}`, "", form.body.example]),
    ].join("\n");
  });
  const names = callsOn(pages).flatMap(({ form }) => form.parameters.filter((parameter) => parameter.in === "path"));
  const variables = [...new Set(names.map(({ name }) => name))].map((name) => `@${name} = 1`);
  return `# Petstore, made from the service's OpenAPI document. Set the variable key of your environment to your API key.
@baseUrl = ${baseUrl}
${variables.join("\n")}

${requests.join("\n\n")}
`;
}

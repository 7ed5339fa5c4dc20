import { test } from "bun:test";
import { join } from "node:path";
import { openApi } from "../../../support/descriptions.ts";
import { documentText } from "../../../support/document-text.ts";
import { expectKept } from "../../../support/kept-copy.ts";

type Operation = { operationId: string; responses: Record<number, { description: string }> };

/** Whether a part says something of its own: errors have the texts of the catalogue, and examples are calls of other tests. */
const isOwn = (name: string) => !/^(examples?|[45]\d\d|headers|contact|license)$/.test(name);

/** What programs and generated clients of the administration interface rely on, as `client/src/schema.ts` has it of the public one. */
test("the document of the administration interface is as it was agreed on", () => {
  const { info, tags, components, paths } = openApi.operators;
  const { schemas, securitySchemes } = components;
  const operations = Object.values<Record<string, Operation>>(paths).flatMap((methods) => Object.values(methods));
  const missing = operations
    .filter(({ responses }) => responses[404] !== undefined)
    .map(({ operationId, responses }) => [operationId, { description: responses[404]?.description }]);
  const text = documentText(
    { info, tags, schemas, securitySchemes, paths, missing: Object.fromEntries(missing) },
    isOwn,
  );
  expectKept(join(import.meta.dir, "document.txt"), text);
});

import { test } from "bun:test";
import { join } from "node:path";
import { openApi } from "../../../support/descriptions.ts";
import { documentText } from "../../../support/document-text.ts";
import { expectKept } from "../../../support/kept-copy.ts";

/** Whether a part says something of its own: errors have the texts of the catalogue, and examples are calls of other tests. */
const isOwn = (name: string) => !/^(examples?|[45]\d\d|headers|contact|license)$/.test(name);

/** What programs and generated clients of the administration interface rely on, as `client/src/schema.ts` has it of the public one. */
test("the document of the administration interface is as it was agreed on", () => {
  const { info, tags, components, paths } = openApi.operators;
  const { schemas, securitySchemes } = components;
  const text = documentText({ info, tags, schemas, securitySchemes, paths }, isOwn);
  expectKept(join(import.meta.dir, "document.txt"), text);
});

import { Command } from "commander";
import { writeFile, writeTo } from "../adapters/files/write.ts";
import { openApiDocument } from "../adapters/http/document.ts";
import { toJson } from "../domain/json.ts";
import { readConfig } from "../wiring/config.ts";

export function openapiCommand(): Command {
  return new Command("openapi")
    .description("Print the OpenAPI 3.1 document that the service returns at /openapi.json.")
    .option("--output <file>", "write to this file instead of standard output")
    .option("--json", "print JSON (the default)")
    .addHelpText("after", "\nExample:\n  petstore openapi --output openapi.json")
    .action(openapi);
}

async function openapi({ output }: { output?: string }): Promise<void> {
  const { baseUrls, deployment } = readConfig(process.env);
  const document = [`${toJson(openApiDocument(baseUrls, deployment), 2)}\n`];
  if (output === undefined) await writeTo(process.stdout, "standard output", document);
  else await writeFile(output, document);
}

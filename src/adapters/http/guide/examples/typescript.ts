import { type Call, idsIn, jsonOf, KEY, textOf, type Value, Variable, type Word } from "./call.ts";

/** A program in TypeScript that makes the call, and prints what its response shows. */
export function typescriptOf(call: Call): string {
  const { method, url, headers, body } = call;
  const options = [
    ...(method === "GET" ? [] : [`method: ${JSON.stringify(method)},`]),
    ...headerLines(headers),
    ...(body === undefined ? [] : [`body: ${bodyOf(body)},`]),
  ];
  const request = options.length === 0 ? "" : `, {\n${options.map((line) => `  ${line}\n`).join("")}}`;
  const ids = idsIn(call).map((name) => `const ${name} = 1;\n`);
  const known = ids.length === 0 ? "" : `// From the response above.\n${ids.join("")}\n`;
  return `${known}const response = await fetch(${stringOf(url)}${request});\n${SHOWN[call.shows]}\n`;
}

const SHOWN: Record<Call["shows"], string> = {
  body: "console.log(await response.text());",
  status: "console.log(response.status);",
  response: `console.log(response.status, response.statusText);
for (const [name, value] of response.headers) console.log(\`\${name}: \${value}\`);
console.log();
console.log(await response.text());`,
  id: "const created = (await response.json()) as { id: number };\nconsole.log(created.id);",
  firstId: "const [first] = (await response.json()) as { id: number }[];\nconsole.log(first?.id);",
};

function headerLines(headers: Call["headers"]): string[] {
  const lines = headers.map(([name, value]) => `${/^\w+$/.test(name) ? name : `"${name}"`}: ${stringOf(value)}`);
  if (lines.length < 2) return lines.map((line) => `headers: { ${line} },`);
  return ["headers: {", ...lines.map((line) => `  ${line},`), "},"];
}

function bodyOf(body: Word): string {
  const value = jsonOf(body);
  return value === undefined ? stringOf(body) : `JSON.stringify(${literal(value)})`;
}

function literal(value: Value): string {
  if (value instanceof Variable) return value.name;
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([name, item]) => `${name}: ${literal(item)}`)
    .join(", ")} }`;
}

function stringOf(word: Word): string {
  const text = textOf(word);
  if (text !== undefined) return text.includes('"') && !text.includes("'") ? `'${text}'` : JSON.stringify(text);
  const parts = word.map((part) =>
    typeof part === "string"
      ? part.replace(/[\\`]/g, "\\$&")
      : `\${${part.variable === KEY ? "process.env.KEY" : part.variable}}`,
  );
  return `\`${parts.join("")}\``;
}

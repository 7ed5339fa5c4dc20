const isPlain = (value: unknown): boolean =>
  typeof value !== "object" ||
  value === null ||
  (Array.isArray(value) && value.every((item) => typeof item !== "object"));

/** A value as indented lines, with those of its parts that are kept. What has no parts is one line. */
function linesOf(name: string, value: unknown, isKept: (name: string) => boolean, indent = ""): string[] {
  const text = (one: unknown) => String(one).replaceAll(/\s+/g, " ");
  if (isPlain(value)) return [`${indent}${name}: ${text(value)}`];
  const parts = Object.entries(Object(value)).filter(([part]) => isKept(part));
  const [only] = parts;
  if (only !== undefined && parts.length === 1 && !isPlain(only[1]))
    return linesOf(`${name} ${only[0]}`, only[1], isKept, indent);
  if (parts.every(([, part]) => isPlain(part))) {
    return [`${indent}${name}: ${parts.map(([part, one]) => `${part} ${text(one)}`).join("; ")}`];
  }
  return [`${indent}${name}`, ...parts.flatMap(([part, one]) => linesOf(part, one, isKept, `${indent}  `))];
}

/** The parts of a document as text, to be compared with a kept copy. */
export function documentText(parts: object, isKept: (name: string) => boolean): string {
  return Object.entries(parts)
    .flatMap(([name, value]) => linesOf(name, value, isKept))
    .join("\n");
}

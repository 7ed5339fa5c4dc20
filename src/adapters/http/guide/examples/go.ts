import { type Call, idsIn, KEY, textOf, type Word } from "./call.ts";

/** A program in Go that makes the call with the standard library, and prints what its response shows. */
export function goOf(call: Call): string {
  const { method, url, headers, body } = call;
  const ids = idsIn(call).map((name) => `${name} := 1`);
  const lines = [
    ...(ids.length === 0 ? [] : ["// From the response above.", ...ids]),
    ...(body === undefined ? [] : [`body := strings.NewReader(${stringOf(body)})`]),
    `request, err := http.NewRequest("${method}", ${stringOf(url)}, ${body === undefined ? "nil" : "body"})`,
    ...FAILING,
    ...headers.map(([name, value]) => `request.Header.Set("${name}", ${stringOf(value)})`),
    "response, err := http.DefaultClient.Do(request)",
    ...FAILING,
    "defer response.Body.Close()",
    ...SHOWN[call.shows],
  ];
  const code = lines.join("\n\t");
  const imports = PACKAGES.filter((path) => code.includes(`${path.split("/").at(-1)}.`));
  return `package main

import (
${imports.map((path) => `\t"${path}"\n`).join("")})

func main() {
\t${code}
}
`;
}

const PACKAGES = ["encoding/json", "fmt", "io", "log", "net/http", "os", "strings"];
const FAILING = ["if err != nil {", "\tlog.Fatal(err)", "}"];

const idIn = (type: string) => [
  `var found ${type}`,
  "if err := json.NewDecoder(response.Body).Decode(&found); err != nil {",
  "\tlog.Fatal(err)",
  "}",
];

const SHOWN: Record<Call["shows"], string[]> = {
  body: ["io.Copy(os.Stdout, response.Body)"],
  status: ["fmt.Println(response.StatusCode)"],
  response: [
    "fmt.Println(response.Status)",
    "response.Header.Write(os.Stdout)",
    "fmt.Println()",
    "io.Copy(os.Stdout, response.Body)",
  ],
  id: [...idIn("struct{ ID int64 }"), "fmt.Println(found.ID)"],
  firstId: [...idIn("[]struct{ ID int64 }"), "fmt.Println(found[0].ID)"],
};

function stringOf(word: Word): string {
  const text = textOf(word);
  if (text !== undefined) return quoted(text);
  const [head, last] = [word.slice(0, -1), word.at(-1)];
  if (typeof last === "object" && last.variable === KEY) return `${stringOf(head)}+os.Getenv("KEY")`;
  const format = word.map((part) => (typeof part === "string" ? part.replaceAll("%", "%%") : "%d")).join("");
  const values = word.flatMap((part) => (typeof part === "string" ? [] : [part.variable]));
  return `fmt.Sprintf(${[quoted(format), ...values].join(", ")})`;
}

const quoted = (text: string) => (text.includes('"') && !text.includes("`") ? `\`${text}\`` : JSON.stringify(text));

import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Whether this machine has Go. */
export const hasGo: boolean = spawnSync("go", ["version"]).status === 0;

/** Runs the program with this number, against the service whose address is in the environment. */
const DISPATCH = (imports: string, cases: string) => `package main

import (
	"context"
	"net"
	"net/http"
	"os"

${imports})

func main() {
	transport := http.DefaultTransport.(*http.Transport)
	dial := transport.DialContext
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		if address == "127.0.0.1:8080" || address == "127.0.0.1:8090" {
			address = os.Getenv("ADDRESS")
		}
		return dial(ctx, network, address)
	}
	switch os.Args[1] {
${cases}	}
}
`;

/**
 * Compiles programs to one executable, which takes the number of a program as its argument: each program is a package, so
 * that the standard library is linked once.
 */
export function compileGo(programs: string[], directory: string): string {
  const write = (path: string, text: string) => {
    mkdirSync(join(directory, path, ".."), { recursive: true });
    writeFileSync(join(directory, path), text);
  };
  write("go.mod", "module examples\n\ngo 1.24\n");
  for (const [i, text] of programs.entries()) {
    write(`formatted/p${i}.go`, text);
    write(`p${i}/p.go`, text.replace("package main", `package p${i}`).replace("func main()", "func Main()"));
  }
  const numbers = [...programs.keys()];
  const imports = numbers.map((i) => `\t"examples/p${i}"\n`).join("");
  write("main.go", DISPATCH(imports, numbers.map((i) => `\tcase "${i}":\n\t\tp${i}.Main()\n`).join("")));

  const badlyFormatted = spawnSync("gofmt", ["-l", "formatted"], { cwd: directory, encoding: "utf8" });
  const environment = { ...process.env, GOFLAGS: "-mod=mod", GOTOOLCHAIN: "local" };
  const built = spawnSync("go", ["build", "-o", "examples", "."], {
    cwd: directory,
    encoding: "utf8",
    env: environment,
  });
  const complaints = badlyFormatted.stdout + badlyFormatted.stderr + built.stderr;
  if (complaints !== "") throw new Error(complaints);
  return join(directory, "examples");
}

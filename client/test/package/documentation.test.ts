import { expect, test } from "bun:test";
import { join } from "node:path";
import ts from "typescript";
import { projectWithPackage } from "../support/package.ts";

const main = join(projectWithPackage(), "node_modules/@petstore/client/dist/main.d.ts");
const program = ts.createProgram([main], {
  strict: true,
  module: ts.ModuleKind.NodeNext,
  target: ts.ScriptTarget.ES2022,
});
const checker = program.getTypeChecker();

const isDocumented = (symbol: ts.Symbol) => symbol.getDocumentationComment(checker).length > 0;

const isOurs = (symbol: ts.Symbol) =>
  symbol.declarations?.some((declaration) => declaration.getSourceFile().fileName.includes("@petstore/client")) ??
  false;

const isHidden = (symbol: ts.Symbol) =>
  symbol.declarations?.every(
    (declaration) => ts.isPropertyDeclaration(declaration) && ts.isPrivateIdentifier(declaration.name),
  ) ?? false;

/** The members of a class, its instances or an interface that are not inherited from outside the package. */
function membersOf(symbol: ts.Symbol): ts.Symbol[] {
  const isType = (symbol.flags & (ts.SymbolFlags.Class | ts.SymbolFlags.Interface)) !== 0;
  if (!isType) return [];
  const constructors = symbol.members?.get(ts.InternalSymbolName.Constructor);
  const own = checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol)).filter(isOurs);
  return [...own, ...(constructors === undefined ? [] : [constructors])].filter((member) => !isHidden(member));
}

const source = program.getSourceFile(main);
const exported = checker
  .getExportsOfModule(checker.getSymbolAtLocation(source ?? ts.createSourceFile("", "", 99)) as ts.Symbol)
  .map((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol));

test("the exports of the package are found", () => {
  const names = exported.map(({ name }) => name);
  expect(names).toContain("PetstoreClient");
  expect(names).toContain("Int64");
  expect(names.length).toBeGreaterThan(25);
});

test.each(exported.map((symbol): [string, ts.Symbol] => [symbol.name, symbol]))(
  "%s and its members are documented",
  (_name, symbol) => {
    const undocumented = [symbol, ...membersOf(symbol)].filter((one) => !isDocumented(one) && one.name !== "name");
    expect(undocumented.map(({ name }) => name)).toEqual([]);
  },
);

test("a member without documentation is found", () => {
  const client = exported.find(({ name }) => name === "PetstoreClient");
  const members = client === undefined ? [] : membersOf(client).map(({ name }) => name);
  expect(members.sort()).toEqual([
    "__constructor",
    "categories",
    "createPet",
    "createPets",
    "deletePet",
    "events",
    "getPet",
    "getPetsByIds",
    "inventory",
    "listPets",
    "orders",
    "pages",
    "pets",
    "rateLimits",
    "request",
    "updatePet",
    "usage",
  ]);
});

test("only getPet is marked as deprecated, with its date", () => {
  const client = exported.find(({ name }) => name === "PetstoreClient");
  const marked = (client === undefined ? [] : membersOf(client)).flatMap((member) =>
    member
      .getJsDocTags(checker)
      .filter(({ name }) => name === "deprecated")
      .map(({ text }) => [member.name, ts.displayPartsToString(text)]),
  );
  expect(marked).toEqual([["getPet", expect.stringContaining("removed on 5 December 2030")]]);
});

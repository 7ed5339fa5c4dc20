/**
 * The mutants of TypeScript, made from its syntax tree as SWC parses it: each expression and statement has a few faults
 * as engineers make them. Types, imports and texts for people have none.
 */
import {
  type BinaryExpression,
  type CallExpression,
  type Expression,
  type ExprOrSpread,
  type HasSpan,
  type Pattern,
  type Property,
  type PropertyName,
  parseSync,
  type SpreadElement,
  type Statement,
} from "@swc/core";
import type { Mutant } from "./mutant.ts";

type Node = Expression | Statement;
type Range = { start: number; end: number };

/** What each of these operators is mistaken for. */
const MISTAKEN: Record<string, string[]> = {
  "<": ["<=", ">="],
  "<=": ["<", ">"],
  ">": [">=", "<="],
  ">=": [">", "<"],
  "===": ["!=="],
  "!==": ["==="],
  "&&": ["||"],
  "||": ["&&"],
  "+": ["-"],
  "-": ["+"],
  "*": ["/"],
  "/": ["*"],
  "+=": ["-="],
  "-=": ["+="],
};
/** What each of these functions is mistaken for. */
const CONFUSED = new Map([
  ["min", "max"],
  ["max", "min"],
  ["floor", "ceil"],
  ["ceil", "floor"],
  ["some", "every"],
  ["every", "some"],
  ["startsWith", "endsWith"],
]);
/** Callees whose calls change nothing that a caller sees: text for people, and hints to the runtime. */
const UNSEEN = /(^|[.#])(log|console)\b|\.unref$/;
/** Constants that only say how often something is looked at, or how much of it is done at once: another number gives the same. */
const PACE = /(^|_)(INTERVAL|PAUSE|CHUNK|AT_ONCE|REFRESH)(_MS|_BYTES)?$/;
/** Types and imports: their parts have no mutants. */
const WITHOUT = /^(Ts|ImportDeclaration|ExportAll|ExportNamed)/;
/** Types around an expression, which has. */
const TYPED = ["TsAsExpression", "TsSatisfiesExpression", "TsConstAssertion", "TsNonNullExpression"];
/** A string that a program reads. Texts for people have spaces, or begin with a capital. */
const CODE = /^(?![A-Z][a-z]+$)[\w.:/-]+$/;

/** A text that a database reads. */
const SQL = /\b(SELECT|INSERT INTO|UPDATE|DELETE FROM|WHERE|ORDER BY)\b/;
/** Faults in SQL: what is removed, or what replaces it. */
const SQL_FAULTS: [text: RegExp, replacement: string][] = [
  [/ FOR (UPDATE|SHARE)\b/g, ""],
  [/ SKIP LOCKED\b/g, ""],
  [/ DESC\b/g, ""],
  [/ DISTINCT\b/g, ""],
  [/ AND (?=[^()$?:]* (=|<>|[<>]=?) )/g, " OR "],
  [/ AND [\w.]+ (=|<>|[<>]=?|IS( NOT)?) ([:$?]?\w+|\?|'\w*')(?! [-+*/])/g, ""],
  [/ IS NOT NULL\b/g, " IS NULL"],
  [/(?<= )[<>]=(?= )/g, "<>"],
  [/(?<= )<(?= )/g, "<="],
  [/(?<= )>(?= )/g, ">="],
  [/(?<= )\+ 1\b/g, "+ 2"],
  [/\bOR IGNORE /g, ""],
];

/** The mutants of the file, whose text is `source`, in the order of their places. */
export function mutantsOfCode(file: string, source: string): Mutant[] {
  const bytes = Buffer.from(source);
  // SWC counts bytes, from 1.
  const isAscii = bytes.length === source.length;
  const place = (at: number) => (isAscii ? at - 1 : bytes.subarray(0, at - 1).toString().length);
  const textAt = ({ start, end }: Range) => bytes.subarray(start - 1, end - 1).toString();
  const textOf = (node: Expression) => textAt(rangeOf(node));
  const mutants: Mutant[] = [];
  const tree = parseSync(source, { syntax: "typescript", tsx: file.endsWith("x"), target: "es2024" });
  const strings = [...new Set([...nodesOf(tree.body)].flatMap((node) => codeOf(node) ?? []))];

  const add = (operator: string, { start, end }: Range, replacement: string, reached: Node) => {
    const span = { start: place(start), end: place(end) };
    const around = rangeOf(reached);
    mutants.push({
      file,
      ...span,
      replacement,
      operator,
      reached: { start: place(around.start), end: place(around.end) },
    });
  };

  for (const node of nodesOf(tree.body)) {
    switch (node.type) {
      case "IfStatement":
      case "ConditionalExpression":
        add("removed condition", rangeOf(node.test), "true", node.test);
        add("removed condition", rangeOf(node.test), "false", node.test);
        break;
      case "WhileStatement":
        add("removed condition", rangeOf(node.test), "false", node.test);
        break;
      case "UnaryExpression":
        if (node.operator === "!") add("negated condition", rangeOf(node), textOf(node.argument), node);
        break;
      case "BinaryExpression":
        ofBinary(node);
        break;
      case "AssignmentExpression":
        for (const other of MISTAKEN[node.operator] ?? []) {
          add("other operator", operatorOf(node.left, node.right, node.operator), other, node);
        }
        break;
      case "ExpressionStatement":
        ofStatement(node.expression);
        break;
      case "CallExpression":
        ofCall(node);
        break;
      case "NumericLiteral":
        add("other constant", rangeOf(node), otherNumber(textOf(node), node.value), node);
        break;
      case "BooleanLiteral":
        add("other constant", rangeOf(node), String(!node.value), node);
        break;
      case "StringLiteral": {
        const code = codeOf(node);
        if (code !== undefined) add("other constant", rangeOf(node), JSON.stringify(otherString(code)), node);
        ofText(node, node);
        break;
      }
      case "TemplateLiteral":
        for (const part of node.quasis) ofText(part, node);
        break;
      case "ObjectExpression":
        ofParts(
          node.properties.map((part) => ({ ...partRange(part), isKept: isForPeople(part) })),
          node,
        );
        break;
      case "ArrayExpression":
        // What stands alone in a list is what the list is for.
        if (node.elements.length > 1) ofParts(node.elements.flatMap(elementRange), node);
        break;
    }
  }
  return mutants;

  function ofBinary(node: BinaryExpression): void {
    const { left, right, operator } = node;
    if (operator === "??") add("removed value", rangeOf(node), textOf(right), node);
    if (operator === "+" && (isText(left) || isText(right))) return;
    for (const other of MISTAKEN[operator] ?? []) {
      add("other operator", operatorOf(left, right, operator), other, node);
    }
    if (operator !== "&&" && operator !== "||") return;
    add("removed condition", rangeOf(node), textOf(right), node);
    add("removed condition", rangeOf(node), textOf(left), node);
  }

  /** Calls and assignments can be forgotten, and so can the wait for one. */
  function ofStatement(expression: Expression): void {
    const isWaiting = expression.type === "AwaitExpression";
    const done = isWaiting ? expression.argument : expression;
    const isCall = done.type === "CallExpression";
    if (isCall && !isSeen(done.callee)) return;
    if (!isCall && !/^(OptionalChaining|Assignment|Update|Unary)Expression$/.test(done.type)) return;
    add("removed statement", rangeOf(expression), "void 0", expression);
    if (isWaiting) add("dropped await", rangeOf(expression), textOf(done), expression);
  }

  /** SQL, which is a part of this expression. */
  function ofText(part: HasSpan, node: Node): void {
    const sql = textAt(part.span);
    if (!SQL.test(sql)) return;
    for (const [wrong, replacement] of SQL_FAULTS) {
      for (const { 0: found, index } of sql.matchAll(wrong)) {
        const start = part.span.start + Buffer.byteLength(sql.slice(0, index));
        add("other SQL", { start, end: start + Buffer.byteLength(found) }, replacement, node);
      }
    }
  }

  /** Each part of an object or a list can be forgotten. */
  function ofParts(ranges: (Range & { isKept?: boolean })[], node: Node): void {
    ranges.forEach((range, at) => {
      if (range.isKept) return;
      const next = ranges[at + 1];
      const before = ranges[at - 1];
      const start = next === undefined && before !== undefined ? before.end : range.start;
      add("removed part", { start, end: next?.start ?? range.end }, "", node);
    });
  }

  function isSeen(callee: CallExpression["callee"]): boolean {
    return callee.type !== "Super" && callee.type !== "Import" && !UNSEEN.test(textOf(callee));
  }

  function ofCall({ callee, arguments: given }: CallExpression): void {
    const [first, second] = given;
    if (callee.type === "MemberExpression" && callee.property.type === "Identifier") {
      const other = CONFUSED.get(callee.property.value);
      if (other !== undefined && first !== undefined) {
        add("other function", rangeOf(callee.property), other, first.expression);
      }
    }
    if (first === undefined || second === undefined || first.spread || second.spread) return;
    const [one, two] = [textOf(first.expression), textOf(second.expression)];
    const isValue = ({ type }: Expression) => /^(Identifier|MemberExpression|.*Literal)$/.test(type);
    if (one === two || ![first, second].every(({ expression }) => isValue(expression) && !isProse(expression))) return;
    const span = { start: rangeOf(first.expression).start, end: rangeOf(second.expression).end };
    add("swapped arguments", span, `${two}, ${one}`, first.expression);
  }

  /** Where the operator stands between its operands. */
  function operatorOf(left: Node | Pattern, right: Expression, operator: string): Range {
    const { end } = rangeOf(left);
    const start = end + bytes.subarray(end - 1, rangeOf(right).start - 1).indexOf(operator);
    return { start, end: start + operator.length };
  }

  /** The next string of the file that looks similar, which types may allow; otherwise a new one. */
  function otherString(code: string): string {
    const kind = (value: string) => value.replace(/[a-z]+/g, "a").replace(/[A-Z]+/g, "A");
    const similar = strings.filter((value) => kind(value) === kind(code));
    const other = similar[(similar.indexOf(code) + 1) % similar.length];
    return other === undefined || other === code ? `${code}x` : other;
  }
}

/** Whether the expression is a text for people. */
function isProse(node: Expression): boolean {
  return (
    node.type === "TemplateLiteral" ||
    (node.type === "StringLiteral" && !CODE.test(node.value) && !SQL.test(node.value))
  );
}

/** Whether only people, who look at a document or a log, see the part, or it is a hint to the runtime. */
function isForPeople(part: Property | SpreadElement): boolean {
  if (part.type === "Identifier") return part.value === "cause";
  return part.type === "KeyValueProperty" && (isExample(part.key) || isHint(part.key) || isProse(part.value));
}

function partRange(part: Property | SpreadElement): Range {
  if (part.type === "SpreadElement") return { start: part.spread.start, end: rangeOf(part.arguments).end };
  if (part.type === "KeyValueProperty") return { start: rangeOf(part.key).start, end: rangeOf(part.value).end };
  return rangeOf(part);
}

function elementRange(element: ExprOrSpread | undefined): (Range & { isKept: boolean })[] {
  if (element === undefined) return [];
  const { start, end } = rangeOf(element.expression);
  return [{ start: element.spread?.start ?? start, end, isKept: isProse(element.expression) }];
}

/** @throws for the names of elements, which have no place */
function rangeOf(node: Node | Pattern | Property | PropertyName): Range {
  if (!("span" in node) || !isRange(node.span)) throw new Error(`a ${node.type} has no place`);
  return node.span;
}

function isRange(span: unknown): span is Range {
  return typeof span === "object" && span !== null && "start" in span && "end" in span;
}

/** Whether the expression is certainly a string. */
function isText(node: Expression): boolean {
  if (node.type === "BinaryExpression") return node.operator === "+" && (isText(node.left) || isText(node.right));
  return node.type === "StringLiteral" || node.type === "TemplateLiteral";
}

function codeOf(node: Node): string | undefined {
  return node.type === "StringLiteral" && CODE.test(node.value) ? node.value : undefined;
}

/** Another number, written the same way: the next one of a small one, ten times a large one. */
function otherNumber(written: string, value: number): string {
  if (value < 10 || !Number.isInteger(value) || !/^[\d_]+$/.test(written)) return `${written === "0" ? 1 : value + 1}`;
  return `${value * 10}`;
}

/** All expressions and statements below, outermost first, without those of types, imports, keys and attributes. */
function* nodesOf(value: unknown): Generator<Node> {
  if (Array.isArray(value)) {
    for (const item of value) yield* nodesOf(item);
  } else if (typeof value === "object" && value !== null) {
    const type = "type" in value ? String(value.type) : "";
    if (WITHOUT.test(type) && !TYPED.includes(type)) return;
    if (isNode(value)) yield value;
    if (type === "CallExpression" && "callee" in value && typeOf(value.callee) === "Import") return;
    if (type === "KeyValueProperty" && "key" in value && (isExample(value.key) || isHint(value.key))) return;
    // Its defaults, too, are for the types alone.
    if (type === "ArrayPattern") return;
    for (const [name, child] of Object.entries(value)) {
      const isName = name === "key" && typeOf(child) !== "Computed";
      const isAttribute = type === "JSXAttribute" && isConstant(child);
      const isUnused = name === "right" && typeOf(child).endsWith("Literal") && isAskedByTypes(value);
      const isPace = name === "init" && typeOf(child) === "NumericLiteral" && isNamed(value, PACE);
      if (!isName && !isAttribute && !isUnused && !isPace) yield* nodesOf(child);
    }
  }
}

/** Whether this is the value of an attribute that says what an element looks like: a string or a number. */
function isConstant(value: unknown): boolean {
  if (typeof value === "object" && value !== null && "expression" in value) return isConstant(value.expression);
  return typeOf(value) === "StringLiteral" || typeOf(value) === "NumericLiteral";
}

/** Whether this declares a name like this one. */
function isNamed(value: object, name: RegExp): boolean {
  if (!("id" in value && typeof value.id === "object" && value.id !== null && "value" in value.id)) return false;
  return name.test(String(value.id.value));
}

/** Whether only the types ask for the right side: to them, an item of a list may always be missing. */
function isAskedByTypes(value: object): boolean {
  if (!("operator" in value && value.operator === "??" && "left" in value)) return false;
  const { left } = value;
  return typeof left === "object" && left !== null && "property" in left && typeOf(left.property) === "Computed";
}

/** Whether this is the name of an example in the OpenAPI document. */
function isExample(key: unknown): boolean {
  return typeof key === "object" && key !== null && "value" in key && /^examples?$/.test(String(key.value));
}

/** Whether this is the name of an option of timers that says whether a process that has nothing else to do waits for them. */
function isHint(key: unknown): boolean {
  return typeof key === "object" && key !== null && "value" in key && key.value === "ref";
}

function isNode(value: object): value is Node {
  return "type" in value && "span" in value;
}

function typeOf(value: unknown): string {
  return typeof value === "object" && value !== null && "type" in value ? String(value.type) : "";
}

import ts from "typescript-5.9";
import { type FileRule, isForTests, parse, place, walk } from "./source-files.ts";

/** Names by which a clock, timers, the process or shared state come in. */
const impureGlobals = new Set([
  "Date",
  "performance",
  "process",
  "Buffer",
  "console",
  "global",
  "globalThis",
  "self",
  "window",
  "require",
  "setTimeout",
  "setInterval",
  "setImmediate",
  "clearTimeout",
  "clearInterval",
  "clearImmediate",
]);

/** Members that are not the same twice, of globals that are otherwise fine. */
const impureMembers = new Set(["Math.random", "crypto.randomUUID", "crypto.getRandomValues"]);

/** core, codecs and wire ask nobody for the time, for chance or for the process they run in. */
export const noImpureGlobals: FileRule = (file) => {
  if (!isPure(file.path)) return [];
  const tree = parse(file);
  const declared = declaredNames(tree);
  const found: string[] = [];
  walk(tree, (node) => {
    if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression)) {
      const member = `${node.expression.text}.${node.name.text}`;
      if (impureMembers.has(member) && !declared.has(node.expression.text)) found.push(`${place(node)}: ${member}`);
    }
    if (ts.isIdentifier(node) && impureGlobals.has(node.text) && !declared.has(node.text) && isValue(node)) {
      found.push(`${place(node)}: ${node.text}`);
    }
  });
  return found;
};

/** core, codecs and wire keep nothing between calls; a WeakMap of what was checked is allowed. */
export const noModuleState: FileRule = (file) => {
  if (!isPure(file.path)) return [];
  return parse(file)
    .statements.filter(ts.isVariableStatement)
    .flatMap(({ declarationList }) => {
      if ((declarationList.flags & ts.NodeFlags.Const) === 0) {
        return [`${place(declarationList)}: a module-level variable; only const may stand here`];
      }
      return declarationList.declarations
        .filter(isEmptyCollection)
        .map((declaration) => `${place(declaration)}: an empty collection at module level is state between calls`);
    });
};

const isPure = (path: string): boolean =>
  /^packages\/undangle\/src\/(core|codecs|wire)\//u.test(path) && !isForTests(path);

/** An empty Map or Set that is not declared read-only can only be there to be filled later. */
function isEmptyCollection({ initializer, type }: ts.VariableDeclaration): boolean {
  if (!initializer || !ts.isNewExpression(initializer) || !ts.isIdentifier(initializer.expression)) return false;
  const isCollection =
    ["Map", "Set"].includes(initializer.expression.text) && (initializer.arguments?.length ?? 0) === 0;
  return isCollection && type?.getText().startsWith("Readonly") !== true;
}

/** Every name that the file itself declares, anywhere: such a name is not the global one. */
function declaredNames(tree: ts.SourceFile): ReadonlySet<string> {
  const names = new Set<string>();
  walk(tree, (node) => {
    const declares =
      ts.isVariableDeclaration(node) ||
      ts.isParameter(node) ||
      ts.isBindingElement(node) ||
      ts.isFunctionDeclaration(node) ||
      ts.isClassDeclaration(node) ||
      ts.isImportSpecifier(node);
    if (declares && node.name && ts.isIdentifier(node.name)) names.add(node.name.text);
  });
  return names;
}

/** Whether an identifier reads a value: not a property's name, not a type, and not the class in `x instanceof Date`. */
function isValue(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node;
  if (ts.isBinaryExpression(parent) && parent.operatorToken.kind === ts.SyntaxKind.InstanceOfKeyword) return false;
  if (ts.isPropertyAssignment(parent)) return parent.initializer === node;
  if (ts.isBindingElement(parent)) return parent.propertyName !== node;
  if (ts.isTypeNode(parent) || ts.isQualifiedName(parent) || ts.isExpressionWithTypeArguments(parent)) return false;
  return !(
    ts.isTypeElement(parent) ||
    ts.isClassElement(parent) ||
    ts.isLabeledStatement(parent) ||
    ts.isJSDoc(parent)
  );
}

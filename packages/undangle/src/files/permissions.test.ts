import { describe, expect, test } from "vitest";

import { compilePermissions } from "./permissions.ts";
import type { PermissionMode, PermissionRule } from "./permissions.ts";

const rule = (mode: PermissionMode, ...paths: readonly string[]): PermissionRule => ({
  operations: ["read", "write"],
  paths,
  mode,
});

describe("permission rules", () => {
  test.each<[string, readonly PermissionRule[], string, PermissionMode]>([
    ["nothing matches", [rule("deny", "/a")], "/b", "allow"],
    ["a pattern", [rule("deny", "/secrets/**")], "/secrets/a/k", "deny"],
    ["the first that matches", [rule("allow", "/a/b"), rule("deny", "/a/**")], "/a/b", "allow"],
    ["a later one does not", [rule("deny", "/a/**"), rule("allow", "/a/b")], "/a/b", "deny"],
    ["names that begin with a dot", [rule("deny", "/a/**")], "/a/.env", "deny"],
    ["P3 a pattern with //", [rule("deny", "//secrets//**")], "/secrets/k", "deny"],
    ["P4 a pattern with /./", [rule("deny", "/./secrets/./**")], "/secrets/k", "deny"],
    ["P11 NFD of the path", [rule("deny", "/caf\u00e9/**")], "/cafe\u0301/k", "deny"],
    ["P11 NFD of the rule", [rule("deny", "/cafe\u0301/**")], "/caf\u00e9/k", "deny"],
    ["P11 look-alikes are other names", [rule("deny", "/a/**")], "/a\uff0fk", "allow"],
    ["ask", [rule("ask", "/etc/**")], "/etc/hosts", "ask"],
    ["a rule that denies a directory", [rule("deny", "/secrets/")], "/secrets/a/k", "deny"],
    ["a rule that asks for a directory", [rule("ask", "/secrets")], "/secrets/k", "ask"],
    ["a rule that allows a directory", [rule("allow", "/a"), rule("deny", "/**")], "/a/b", "deny"],
    ["an exception in a denied directory", [rule("allow", "/a/b/**"), rule("deny", "/a")], "/a/b/c", "allow"],
  ])("%s", (_, rules, path, mode) => {
    expect(compilePermissions(rules).modeOf("write", path)).toBe(mode);
  });

  test("C33 rules of the other operation do not apply", () => {
    const { modeOf } = compilePermissions([{ operations: ["read"], paths: ["/secrets/**"], mode: "deny" }]);
    expect([modeOf("read", "/secrets/k"), modeOf("write", "/secrets/k")]).toEqual(["deny", "allow"]);
  });

  test.each<[string, string, string, boolean]>([
    ["below", "/proj/secrets/**", "/proj", true],
    ["another name with the same beginning", "/projshop/**", "/proj", false],
    ["a sibling", "/proj/*.log", "/proj/notes.txt", false],
    ["inside of what is denied", "/proj/*.log", "/proj/app.log/child", true],
    ["through a wildcard", "/proj/*/secrets", "/proj/app", true],
    ["anywhere", "/**/x", "/proj/a/b", true],
    ["exactly", "/proj/a", "/proj/a", true],
    ["above", "/proj/a", "/", true],
    ["elsewhere", "/other/**", "/proj", false],
  ])("C34 deleting a directory, the rule is %s", (_, pattern, path, isDenied) => {
    expect(
      compilePermissions([rule("deny", pattern)])
        .modesIn("write", path)
        .has("deny"),
    ).toBe(isDenied);
  });

  test("a rule that covers the whole directory hides later rules", () => {
    const { modesIn } = compilePermissions([rule("allow", "/a/**"), rule("deny", "/**")]);
    expect([...modesIn("write", "/a/b")]).toEqual(["allow"]);
    expect(modesIn("write", "/").has("deny")).toBe(true);
  });

  test("a rule that allows only the directory itself does not hide later rules", () => {
    const { modesIn } = compilePermissions([rule("allow", "/a/b", "/a/*/c/**"), rule("deny", "/a/b/secret")]);
    expect(modesIn("write", "/a/b").has("deny")).toBe(true);
  });

  test.each<[string, unknown, RegExp]>([
    ["no list", {}, /permissions/u],
    ["relative", [rule("deny", "secrets/**")], /permissions\[0\]\.paths\[0\]/u],
    ["..", [rule("deny", "/a/../b")], /permissions\[0\]\.paths\[0\]/u],
    ["~", [rule("deny", "~/x")], /permissions\[0\]\.paths\[0\]/u],
    ["no paths", [rule("deny")], /permissions\[0\]\.paths/u],
    ["no operations", [{ operations: [], paths: ["/a"], mode: "deny" }], /permissions\[0\]\.operations/u],
    ["an unknown operation", [{ operations: ["run"], paths: ["/a"], mode: "deny" }], /permissions\[0\]\.operations/u],
    ["an unknown mode", [{ operations: ["read"], paths: ["/a"], mode: "no" }], /permissions\[0\]\.mode/u],
    ["an unknown key", [{ ...rule("deny", "/a"), path: "/b" }], /permissions\[0\]\.path/u],
  ])("%s throws", (_, rules, message) => {
    expect(() => compilePermissions(rules as readonly PermissionRule[])).toThrow(message);
  });
});

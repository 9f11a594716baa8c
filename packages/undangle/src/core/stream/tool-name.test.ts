import { expect, test } from "vitest";
import { cleanName, joinName } from "./call-slot.ts";

const tools = new Set(["bash", "read_file", "read", "functions.odd", "gogo"]);

test.each<[given: string, clean: string, cleanWithoutTools: string]>([
  ["bash", "bash", "bash"],
  [" bash\n", "bash", "bash"],
  ["bash<|channel|>commentary", "bash", "bash"],
  ["functions.bash", "bash", "functions.bash"],
  ["functions.bash:3", "bash", "functions.bash:3"],
  ["functions.odd", "functions.odd", "functions.odd"],
  ["default_api:bash", "bash", "default_api:bash"],
  ['"bash"', "bash", '"bash"'],
  ["bash()", "bash", "bash()"],
  ["bash (", "bash", "bash ("],
  ["bash:", "bash", "bash:"],
  ["bash ls /srv", "bash ls /srv", "bash ls /srv"],
  ["bash(ls)", "bash(ls)", "bash(ls)"],
  ["bash:ls", "bash:ls", "bash:ls"],
  ["bash<ls>", "bash<ls>", "bash<ls>"],
  ['bash<|message|>{"a":1}', 'bash<|message|>{"a":1}', 'bash<|message|>{"a":1}'],
  ["functions.unknown", "functions.unknown", "functions.unknown"],
  ["<|constrain|>json", "<|constrain|>json", "<|constrain|>json"],
])("%j is the tool %j, and %j where nobody knows the tools", (given, clean, cleanWithoutTools) => {
  expect(cleanName(given, tools)).toBe(clean);
  expect(cleanName(given, undefined)).toBe(cleanWithoutTools);
});

test.each<[known: string, piece: string, joined: string, joinedWithoutTools: string]>([
  ["bash", "bash", "bash", "bash"],
  ["read_", "file", "read_file", "read_file"],
  ["read", "_file", "read_file", "read_file"],
  ["read", "read_file", "read_file", "read_file"],
  ["read_file", "read", "read_file", "read_file"],
  ["go", "go", "gogo", "go"],
  ["zzz", "bash", "bash", "zzzbash"],
])("%j and then %j is %j, and %j where nobody knows the tools", (known, piece, joined, joinedWithoutTools) => {
  expect(joinName(known, piece, tools)).toBe(joined);
  expect(joinName(known, piece, undefined)).toBe(joinedWithoutTools);
});

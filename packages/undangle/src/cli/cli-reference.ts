import { choicesOf, commandNames, commandRow } from "./command-table.ts";
import type { CommandName } from "./command-table.ts";
import { usageOf } from "./help.ts";
import { optionNames, optionRow } from "./option-table.ts";
import type { OptionName } from "./option-table.ts";

/** The text of `docs/reference/cli.md`, from the same tables as the parser and the help. */
export function cliReference(): string {
  return [
    "# The command line",
    "",
    "`npx undangle COMMAND` needs no configuration. [Install the package](../../README.md#install-it-in-your-project) first. This page is generated from the tables in `packages/undangle/src/cli`. Edit the tables, not this page.",
    "",
    "| command | what it does | exit code 0 | 1 |",
    "|---|---|---|---|",
    ...commandNames.map((name) => {
      const { summary, exits } = commandRow(name);
      return `| [\`${name}\`](#undangle-${name}) | ${summary} | ${exits[0]} | ${exits[1]} |`;
    }),
    "",
    `Exit code 2 has the same meaning for every command: ${commandRow("check").exits[2]}.`,
    "",
    ...commandNames.flatMap(section),
    "## Options",
    "",
    "`--name value` and `--name=value` are equivalent. Options may appear anywhere; `--` ends them.",
    "",
    "| option | meaning | values | of |",
    "|---|---|---|---|",
    ...optionNames.map((name) => {
      const { choices } = optionRow(name);
      const values = [
        ...new Set([...(choices ?? []), ...commandNames.flatMap((command) => choicesOf(name, command) ?? [])]),
      ];
      const owners = commandNames.filter((command) => commandRow(command).options.includes(name));
      return `| \`${usageOf(name)}\` | ${meaning(name)} | ${values.map((value) => `\`${value}\``).join(", ")} | ${owners.length === commandNames.length || owners.length === 0 ? "all" : owners.join(", ")} |`;
    }),
    "",
  ].join("\n");
}

/** The meaning of an option, including its meanings for other commands. */
function meaning(name: OptionName): string {
  const others = commandNames.flatMap((command) => {
    const own = commandRow(command).meanings?.[name];
    return own === undefined ? [] : [`\`${command}\`: ${own}`];
  });
  return [optionRow(name).summary, ...others].join(". ");
}

function section(name: CommandName): readonly string[] {
  const { summary, operands, examples, notes } = commandRow(name);
  return [
    `## undangle ${name}`,
    "",
    `\`undangle ${name} [OPTION...] ${operands}\`: ${summary}.`,
    "",
    "```sh",
    ...examples.flatMap(([command, does]) => [`# ${does}`, command]),
    "```",
    "",
    ...notes.flatMap((note) => [note, ""]),
  ];
}

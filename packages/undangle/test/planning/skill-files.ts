/** The text of a SKILL.md. */
export const skillText = (name: string, more = "", description = `Does ${name}.`): string =>
  `---\nname: ${name}\ndescription: ${description}\n${more === "" ? "" : `${more}\n`}---\n# ${name}\n\nSteps of ${name}.\n`;

/** Skills in `/skills`, by name, with further lines of their front matter. */
export const skillFiles = (skills: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(skills).map(([name, more]) => [`/skills/${name}/SKILL.md`, skillText(name, more)]));

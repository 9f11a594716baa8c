import type { ProjectAllowance } from "undangle/client";

/** The allowances of one tool. */
interface ToolBranch {
  readonly tool: string;
  readonly allowances: readonly ProjectAllowance[];
}

/** The allowances of one agent, by tool. */
interface AgentBranch {
  readonly agent: string;
  readonly tools: readonly ToolBranch[];
}

/** Agent › tool › arguments. Agents and tools by name; what covers most comes first, then the newest. */
export function allowanceTree(allowances: readonly ProjectAllowance[]): readonly AgentBranch[] {
  return branches(allowances, ({ persona }) => persona).map(([agent, ofAgent]) => ({
    agent,
    tools: branches(ofAgent, ({ tool }) => tool).map(([tool, ofTool]) => ({
      tool,
      allowances: ofTool.toSorted((one, other) => breadth(other) - breadth(one) || other.at - one.at),
    })),
  }));
}

const breadth = ({ scope, match }: ProjectAllowance): number =>
  (scope === "agent" ? 2 : 0) + (match === "tool" ? 1 : 0);

function branches(
  allowances: readonly ProjectAllowance[],
  nameOf: (allowance: ProjectAllowance) => string,
): readonly (readonly [name: string, allowances: readonly ProjectAllowance[]])[] {
  const groups = new Map<string, ProjectAllowance[]>();
  for (const each of allowances) {
    const name = nameOf(each);
    groups.set(name, [...(groups.get(name) ?? []), each]);
  }
  return [...groups].sort(([one], [other]) => one.localeCompare(other));
}

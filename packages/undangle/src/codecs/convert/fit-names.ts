import { acceptsName, hashHex, sanitise } from "#core";
import type { Profile } from "#core";

import type { CompleteConversation, Message, Setting, ToolChoice } from "./conversation.ts";
import type { Losses } from "./losses.ts";
import { renameResult } from "./results.ts";

/** The name rules for declared tools and for calls. */
export interface FittingNames {
  readonly tools: Profile["names"];
  readonly calls: Profile["names"];
}

/** Gives tools names that the target accepts, in definitions, calls, results and tool choice alike. */
export function fitNames(
  conversation: CompleteConversation,
  allowed: FittingNames,
  losses: Losses,
): CompleteConversation {
  const { setting, messages } = conversation;
  const declared = new Set(setting?.tools.map(({ name }) => name));
  const namesFor = (name: string): Profile["names"] => (declared.has(name) ? allowed.tools : allowed.calls);
  // A tool that can keep its name does, and others get different names.
  const used = [...declared, ...messages.flatMap(calledIn)];
  const taken = new Set(used.filter((name) => acceptsName(name, namesFor(name))));
  const given = new Map([...taken].map((name) => [name, name]));
  const fit = (name: string, path: string): string => {
    const known = given.get(name);
    if (known !== undefined || name === "") return known ?? name;
    const names = namesFor(name);
    const fitting = sanitise(name, names);
    const own = taken.has(fitting) ? `${fitting.slice(0, names.longest - 9)}_${hashHex(name).slice(0, 8)}` : fitting;
    given.set(name, own);
    taken.add(own);
    losses.add(path, `the name ${name} of a tool`, `${losses.to} refuses it; it becomes ${own}`);
    return own;
  };
  return {
    ...conversation,
    setting: setting && fitSetting(setting, fit),
    messages: messages.map((message) => fitMessage(message, fit)),
  };
}

const calledIn = (message: Message): readonly string[] =>
  message.role === "assistant" ? message.parts.flatMap((part) => (part.type === "call" ? [part.name] : [])) : [];

type Fit = (name: string, path: string) => string;

function fitSetting(setting: Setting, fit: Fit): Setting {
  const { tools, toolChoice } = setting;
  return {
    ...setting,
    tools: tools.map((tool) => ({ ...tool, name: fit(tool.name, tool.path) })),
    toolChoice: toolChoice && fitChoice(toolChoice, fit),
  };
}

function fitChoice(choice: ToolChoice, fit: Fit): ToolChoice {
  const { name, among, path } = choice;
  return {
    ...choice,
    ...(name === undefined ? {} : { name: fit(name, path) }),
    ...(among === undefined ? {} : { among: among.map((one) => fit(one, path)) }),
  };
}

function fitMessage(message: Message, fit: Fit): Message {
  if (message.role === "assistant") {
    const parts = message.parts.map((part) =>
      part.type === "call" ? { ...part, name: fit(part.name, part.path) } : part,
    );
    return { ...message, parts };
  }
  if (message.role !== "tool") return message;
  const results = message.results.map((result) =>
    result.name === undefined ? result : renameResult(result, fit(result.name, result.path)),
  );
  return { ...message, results };
}

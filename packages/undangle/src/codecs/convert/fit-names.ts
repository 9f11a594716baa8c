import { acceptsName, hashHex, sanitise } from "#core";
import type { Profile } from "#core";

import type { CompleteConversation, Message, Setting } from "./conversation.ts";
import type { Losses } from "./losses.ts";

/** Gives tools names that the target takes, everywhere the same: where they are declared, called, answered and chosen. */
export function fitNames(
  conversation: CompleteConversation,
  names: Profile["names"],
  losses: Losses,
): CompleteConversation {
  const given = new Map<string, string>();
  const taken = new Set<string>();
  const fit = (name: string, path: string): string => {
    const known = given.get(name);
    if (known !== undefined || name === "") return known ?? name;
    const fitting = acceptsName(name, names) ? name : sanitise(name, names);
    const isFree = !taken.has(fitting);
    const own = isFree ? fitting : `${fitting.slice(0, names.longest - 9)}_${hashHex(name).slice(0, 8)}`;
    given.set(name, own);
    taken.add(own);
    if (own !== name)
      losses.add(path, `the name ${name} of a tool`, `${losses.to} refuses it; it is called ${own} there`);
    return own;
  };
  const { setting, messages } = conversation;
  return {
    ...conversation,
    setting: setting && fitSetting(setting, fit),
    messages: messages.map((message) => fitMessage(message, fit)),
  };
}

type Fit = (name: string, path: string) => string;

function fitSetting(setting: Setting, fit: Fit): Setting {
  const { tools, toolChoice } = setting;
  const chosen = toolChoice?.name;
  return {
    ...setting,
    tools: tools.map((tool) => ({ ...tool, name: fit(tool.name, tool.path) })),
    toolChoice:
      toolChoice === undefined || chosen === undefined
        ? toolChoice
        : { ...toolChoice, name: fit(chosen, toolChoice.path) },
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
    result.name === undefined ? result : { ...result, name: fit(result.name, result.path) },
  );
  return { ...message, results };
}

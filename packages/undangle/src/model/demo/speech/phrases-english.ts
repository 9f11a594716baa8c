import type { Phrases } from "./phrases.ts";

const code = (name: string): string => `\`${name}\``;

const list = (names: readonly string[], last = "and"): string =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} ${last} ${names.at(-1) ?? ""}`;

/** Each name once, and how often it comes. */
function codes(names: readonly string[], last?: string): string {
  const each = [...new Set(names)].map((name) => {
    const count = names.filter((other) => other === name).length;
    return count > 1 ? `${code(name)}${times(count)}` : code(name);
  });
  return list(each, last);
}

const times = (count: number): string => ` × ${count}`;

/** What the demo model says in English. */
export const englishPhrases: Phrases = {
  space: " ",
  hello: "Hello!",
  whoIAm: (who) =>
    `I am ${who === undefined ? "Undangle's demo model" : `${who}, played here by Undangle's demo model`}: I run offline, need no key and understand only simple requests.`,
  tools: (lines, more) => `I can use:\n${lines.join("\n")}${more > 0 ? `\n- and ${more} more` : ""}`,
  tool: (name, description) => `- ${code(name)}${description === "" ? "" : `: ${description}`}`,
  noTools:
    "I have no tools here. Give the agent some (`tools: [tool({ … })]`) and I call them; put a provider's model in my place and you get real answers.",
  noToolFits: (gist) => `I have no tool that fits “${gist}”.`,
  youSaid: (gist) => `You said: “${gist}”.`,
  onlyTwoLanguages: "I understand only English and Chinese. Please say it in one of them.",
  unmet: (parts) => `I have no tool for ${list(parts.map((text) => `“${text}”`))}, so I left that out.`,
  recalled: (name, text) => `${code(name)} said: ${text}`,
  howToAsk: "Say in your own words what you want, several things at once if you like, and I call what fits.",
  welcome: "You are welcome.",
  goodbye: "Goodbye!",
  dismissed: "All right, I leave it at that.",
  media: (count) =>
    count === 1
      ? "A picture or file came with your message. I cannot look into it: I am only a demo model."
      : `${count} pictures or files came with your message. I cannot look into them: I am only a demo model.`,
  nothingNew: "There is nothing new for me to answer. What shall I do next?",
  nothingLeft: "Nothing is left to do. What shall I do next?",
  calling: (names, isNext) =>
    names.length === 1
      ? `${isNext ? "Next, I am calling" : "I am calling"} ${codes(names)}.`
      : `${isNext ? "Next, I am making" : "I am making"} ${names.length} calls at once: ${codes(names)}.`,
  finalAnswer: "Here is my final answer.",
  madeUp: (values) =>
    `I could not tell ${codes(
      values.map(([name]) => name),
      "or",
    )} from what you said, so I made something up: ${list(values.map(([name, value]) => `${code(name)} is ${value}`))}.`,
  leftOut: (name, said) => `${code(name)} has no place for ${said}, so I left it out.`,
  carried: (values) => `As before, ${list(values.map(([name, value]) => `${code(name)} is ${value}`))}.`,
  unfound: (values) =>
    `I did not find out ${codes(
      values.map(([name]) => name),
      "or",
    )}, so I put something in: ${list(values.map(([name, value]) => `${code(name)} is ${value}`))}.`,
  unfillable(name, parameter, said) {
    if (parameter === undefined) return `I cannot call ${code(name)}: I do not know how to fill in its arguments.`;
    return said === undefined
      ? `I cannot call ${code(name)}: I found nothing that its argument ${code(parameter)} takes.`
      : `I cannot call ${code(name)}: its argument ${code(parameter)} does not take ${said}.`;
  },
  toolsAreOff: (names) => `I may not use tools in this answer; otherwise I would call ${codes(names)}.`,
  enough: "That is enough for one message, so I stop here. Tell me if you want more.",
  retry: (name, problem, values) =>
    `${code(name)} did not take its arguments (${problem}), so I try once more with ${values}.`,
  left: (names) => `I have not begun with ${codes(names)}, which was to come next. Say “yes” and I go on with it.`,
  succeeded: (name, text) => `${code(name)} says: ${text}`,
  emptyResult: (name) => `${code(name)} is done; it had nothing to say.`,
  mediaResult: (name, count) =>
    `${code(name)} gave back ${count === 1 ? "a picture or file" : `${count} pictures or files`}, which I cannot look into.`,
  time: (text) => `It is ${text}`,
  failed: (name, text) => `${code(name)} failed: ${text}`,
  rejected: (name, reason) =>
    `You rejected ${code(name)}${reason === undefined ? "" : ` (“${reason}”)`}, so it did not run, and I will not ask for it again.`,
  untold: (count) =>
    `${count === 1 ? "One more call has" : `${count} more calls have`} ended, too many to tell of each.`,
  alternative: (parameters) =>
    parameters.length === 0
      ? "Tell me if you want something else instead."
      : `If you want it done differently, tell me what to change, for example ${codes(parameters, "or")}.`,
  notices: {
    superseded: (name) => `${code(name)} was cancelled, because your next message came before it was completed.`,
    interrupted: (name) =>
      `There is no result of ${code(name)}, because the conversation was interrupted. It may have run, or not.`,
    malformed: (name) => `${code(name)} did not run, because its arguments were not valid JSON.`,
    truncated: (name) => `${code(name)} did not run, because its arguments were cut off.`,
    expired: (name) => `${code(name)} did not run, because nobody approved it in time.`,
    stopped: (name) => `${code(name)} did not run, because the run was stopped before it began.`,
    "stopped-running": (name) => `${code(name)} was running when the run was stopped. I do not know what came of it.`,
    crashed: (name) =>
      `${code(name)} was running when the process ended. I do not know what came of it; please check before it is run again.`,
    "timed-out": (name) => `${code(name)} did not finish in time. I do not know what came of it.`,
    limit: (name) => `${code(name)} did not run, because the run reached its limit.`,
    pending: (name) => `${code(name)} has not run yet.`,
    awaiting: (name) => `${code(name)} has not run yet: it waits for approval.`,
    running: (name) => `${code(name)} is still running; there is no result yet.`,
  },
  folded: (text, length) => `${text} … (${length} characters in all)`,
  pair: (name, value) => `${name} = ${value}`,
  pairs: (pairs) => pairs.join(", "),
  stop: ".",
};

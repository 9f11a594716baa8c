import type { PendingCall } from "#engine";

import type { Choice } from "../input/question.ts";
import type { ApprovalTexts, ChoiceName } from "../texts/chat-texts.ts";

/** The key of each choice. Capital letters decide all pending calls. */
export const choiceKeys: Readonly<Record<ChoiceName, string>> = {
  approve: "a",
  reject: "r",
  edit: "e",
  respond: "s",
  always: "w",
  all: "A",
  "reject-all": "R",
  later: "l",
};

/** The choices for a call: those that its rule allows. Choices for all calls need the permission of every rule. */
export function choicesFor(
  call: PendingCall,
  pending: readonly PendingCall[],
  { choices }: Pick<ApprovalTexts, "choices">,
): readonly Choice[] {
  const several = pending.length > 1;
  const names: readonly (readonly [name: ChoiceName, isOffered: boolean])[] = [
    ["approve", call.decisions.includes("approve")],
    ["reject", call.decisions.includes("reject")],
    ["edit", call.decisions.includes("edit")],
    ["respond", call.decisions.includes("respond")],
    ["always", call.always.length > 0 && call.decisions.includes("approve")],
    ["all", several && pending.every(({ decisions }) => decisions.includes("approve"))],
    ["reject-all", several && pending.every(({ decisions }) => decisions.includes("reject"))],
    ["later", true],
  ];
  return names.flatMap(([name, isOffered]) => (isOffered ? [{ key: choiceKeys[name], label: choices[name] }] : []));
}

/** The keys for all calls also work for a single call. */
export const silentKeys = ({ decisions }: PendingCall, pending: readonly PendingCall[]): readonly string[] =>
  pending.length > 1
    ? []
    : [
        ...(decisions.includes("approve") ? [choiceKeys.all] : []),
        ...(decisions.includes("reject") ? [choiceKeys["reject-all"]] : []),
      ];

/** The scopes in which a call can be always allowed. */
export function scopeChoices(
  { always }: PendingCall,
  { scopes, back }: Pick<ApprovalTexts, "scopes" | "back">,
): readonly Choice[] {
  return [
    ...(always.includes("thread") ? [{ key: "t", label: scopes.thread }] : []),
    ...(always.includes("agent") ? [{ key: "g", label: scopes.agent }] : []),
    ...(always.includes("thread") ? [{ key: "s", label: scopes.arguments }] : []),
    { key: "Esc", label: back },
  ];
}

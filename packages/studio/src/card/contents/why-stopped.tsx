import type { PendingCall } from "undangle/client";

import { ExactText } from "../../parts/text/exact-text.tsx";
import { cardTexts } from "../../texts/card-texts.ts";
import { useList, useSentences, useTexts } from "../../texts/language.tsx";

/** The rule that stopped a call, in words, and what an allowance could change. */
export function WhyStopped({ call }: { readonly call: PendingCall }) {
  const texts = useTexts(cardTexts);
  const listOf = useList();
  const joined = useSentences();
  const { rule, name, always } = call;
  const sentences =
    rule === undefined
      ? [texts.noRule]
      : [
          texts.ruleFrom(rule.from),
          ...(rule.from === "tool" ? [] : [texts.rulePattern(listOf(rule.tools))]),
          ...(rule.conditional ? [texts.ruleCondition] : []),
        ];
  const isOpen = always.length > 0 && call.decisions.includes("approve");
  const allowance = call.foreign === true ? [] : [isOpen ? texts.allowanceHint(name) : texts.noAllowance];
  return (
    <section className="min-w-0 text-sm">
      <h3 className="font-medium">{texts.why}</h3>
      {rule?.reason !== undefined && (
        <p className="border-l-2 border-warn pl-2 break-words">
          <ExactText text={rule.reason} />
        </p>
      )}
      <p className="text-muted">
        <ExactText text={joined([...sentences, ...allowance])} />
      </p>
    </section>
  );
}

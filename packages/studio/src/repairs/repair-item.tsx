import type { ReactNode } from "react";
import type { RemoteRepair } from "undangle/client";
import { Link } from "wouter";

import { Badge } from "../parts/badge.tsx";
import type { Tone } from "../parts/badge.tsx";
import { ExactText } from "../parts/text/exact-text.tsx";
import { LineDiff } from "../parts/text/line-diff.tsx";
import { Ago } from "../parts/moment.tsx";
import { threadPlace } from "../shell/address.ts";
import { editTexts } from "../texts/edit-texts.ts";
import { useTexts } from "../texts/language.tsx";
import { repairsTexts } from "../texts/repairs-texts.ts";
import { sidesOf } from "./repair-groups.ts";
import { useRepairText } from "../parts/repair-text/use-repair-text.ts";

export interface RepairItemProps {
  readonly repair: RemoteRepair;
  readonly threadId: string;
}

/** One repair: what changed, where, and which error it avoids. */
export function RepairItem({ repair, threadId }: RepairItemProps) {
  const texts = useTexts(repairsTexts);
  const words = useTexts(editTexts);
  const textOf = useRepairText();
  const { rule, source, at, edit, avoided, call_id: call, path = [] } = repair;
  const sides = sidesOf(repair);
  const place =
    edit === undefined
      ? undefined
      : edit.from !== undefined && edit.to !== undefined && (edit.from !== edit.to || edit.type === "move")
        ? texts.moved(edit.from, edit.to)
        : (edit.from ?? edit.to);
  return (
    <li className="flex min-w-0 flex-col gap-2 border-t border-line py-3 first:border-t-0">
      <p className="break-words">
        <ExactText text={textOf(repair)} />
      </p>
      <p className="flex flex-wrap items-center gap-1.5 text-sm text-muted">
        <Marker text={texts.sources[source]} />
        {edit !== undefined && (
          <>
            <Badge>{words.types[edit.type]}</Badge>
            <Marker text={edit.lossless ? words.lossless : words.lossy} tone={edit.lossless ? "good" : "warn"} />
            {edit.reconstructed && <Marker text={words.reconstructed} tone="warn" />}
          </>
        )}
        <span className="ml-1">
          <Ago at={at} />
        </span>
      </p>
      <dl className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-1 text-sm">
        {place !== undefined && <Fact name={texts.place} text={place} />}
        {edit?.callId !== undefined && <Fact name={texts.call} text={edit.callId} />}
        {call !== undefined && (
          <Fact name={texts.call} text={call}>
            {" "}
            <Link
              href={`${threadPlace(threadId)}#${encodeURIComponent(call)}`}
              className="font-sans text-accent underline"
            >
              {texts.inChat}
            </Link>
          </Fact>
        )}
        {path.length > 0 && <Fact name={texts.subAgent} text={path.join(" › ")} />}
      </dl>
      {sides !== undefined && <LineDiff {...sides} label={texts.diff(rule, place ?? "")} />}
      {edit !== undefined && sides === undefined && (
        <p className="text-sm text-muted">{source === "request" ? texts.sharedOrLong : texts.shared}</p>
      )}
      {edit?.error !== undefined && (
        <p className="text-sm text-bad">
          <ExactText text={texts.notice(edit.error)} />
        </p>
      )}
      {avoided !== undefined && (
        <div className="rounded-md border-l-4 border-bad bg-bad-soft px-3 py-2 text-sm">
          <p className="text-xs text-muted">{texts.avoided(avoided.provider)}</p>
          <p className="font-mono text-xs break-words text-bad">
            <ExactText text={avoided.message} />
          </p>
        </div>
      )}
    </li>
  );
}

interface MarkerProps {
  readonly text: { readonly name: string; readonly means: string };
  readonly tone?: Tone;
}

/** A badge that explains itself to pointers and to screen readers. */
const Marker = ({ text: { name, means }, tone = "neutral" }: MarkerProps) => (
  <span title={means}>
    <Badge tone={tone}>
      {name}
      <span className="sr-only">: {means}</span>
    </Badge>
  </span>
);

interface FactProps {
  readonly name: string;
  readonly text: string;
  readonly children?: ReactNode;
}

const Fact = ({ name, text, children }: FactProps) => (
  <>
    <dt className="text-muted">{name}</dt>
    <dd className="min-w-0 font-mono text-xs leading-5 break-words">
      <ExactText text={text} />
      {children}
    </dd>
  </>
);

import { useQuery } from "@tanstack/react-query";
import { Stethoscope } from "lucide-react";
import { useMemo, useState } from "react";
import { Link, useLocation } from "wouter";

import { server } from "../api/server.ts";
import { messageOf } from "../parts/error-message.ts";
import { handOver } from "../doctor/handover.ts";
import { Badge } from "../parts/badge.tsx";
import { Button } from "../parts/controls/button.tsx";
import { ExactText } from "../parts/text/exact-text.tsx";
import { Failure, FailureText } from "../parts/failure.tsx";
import { ThreadHeader } from "../shell/thread-header.tsx";
import { useTexts } from "../texts/language.tsx";
import { repairsTexts } from "../texts/repairs-texts.ts";
import { shellTexts } from "../texts/shell-texts.ts";
import { ImportHistory } from "./import-history.tsx";
import { groupsOf, isExplained } from "./repair-groups.ts";
import type { RepairGroup } from "./repair-groups.ts";
import { RepairItem } from "./repair-item.tsx";

/** Every change that Undangle made in a thread, by rule. */
export function RepairsView({ id }: { readonly id: string }) {
  const texts = useTexts(repairsTexts);
  const { loading, repairs } = useTexts(shellTexts);
  const [, go] = useLocation();
  const [failure, setFailure] = useState("");
  const { data, error, refetch } = useQuery({
    queryKey: ["repairs", id],
    queryFn: () => server.threads.repairs(id),
    refetchInterval: 10_000,
  });
  const groups = useMemo(() => groupsOf(data ?? []), [data]);
  const isImported = data?.some(({ source }) => source === "import") === true;
  const openInDoctor = async (): Promise<void> => {
    setFailure("");
    try {
      handOver(await server.threads.export(id, isImported ? "original" : "openai-chat"));
      go("/doctor");
    } catch (cause) {
      setFailure(messageOf(cause));
    }
  };
  return (
    <div className="flex min-h-full flex-col">
      <ThreadHeader id={id} view={repairs} />
      <FailureText text={failure} className="bg-bad-soft px-4 py-2" />
      {data === undefined && error === null && <p className="p-6 text-muted">{loading}</p>}
      {data === undefined && error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data?.length === 0 && <NoRepairs />}
      {data !== undefined && data.length > 0 && (
        <div className="mx-auto flex w-full max-w-4xl flex-col gap-4 p-4">
          <div className="flex flex-wrap items-center gap-2">
            <p className="flex-1 font-medium">{texts.summary(data.length, groups.length)}</p>
            <Button title={isImported ? texts.openHint : texts.openThreadHint} onClick={() => void openInDoctor()}>
              <Stethoscope size={16} aria-hidden /> {texts.openInDoctor}
            </Button>
          </div>
          {groups.map((group) => (
            <Group key={group.rule} group={group} threadId={id} />
          ))}
        </div>
      )}
    </div>
  );
}

/** The repairs of a group that are shown at a time. */
const step = 50;

interface GroupProps {
  readonly group: RepairGroup;
  readonly threadId: string;
}

function Group({ group: { rule, repairs }, threadId }: GroupProps) {
  const texts = useTexts(repairsTexts);
  const [most, setMost] = useState(step);
  return (
    <section aria-label={rule} className="min-w-0 rounded-lg border border-line bg-surface px-4 pt-3">
      <h2 className="flex flex-wrap items-center gap-2">
        <span className="font-mono text-sm font-semibold">
          <ExactText text={rule} />
        </span>
        <Badge tone="accent">{texts.count(repairs.length)}</Badge>
        {repairs.some(isExplained) && (
          <Link
            href={`/doctor#explain=${encodeURIComponent(rule)}`}
            className="ml-auto text-sm font-normal text-accent underline"
          >
            {texts.explain(rule)}
          </Link>
        )}
      </h2>
      <ul>
        {repairs.slice(0, most).map((repair) => (
          <RepairItem key={repair.id} repair={repair} threadId={threadId} />
        ))}
      </ul>
      {repairs.length > most && (
        <Button className="mb-3" onClick={() => setMost(most + step)}>
          {texts.more(repairs.length - most)}
        </Button>
      )}
    </section>
  );
}

/** What a repair is, and how to see one. */
function NoRepairs() {
  const texts = useTexts(repairsTexts);
  return (
    <div className="mx-auto flex w-full max-w-2xl flex-col gap-3 p-4 py-8">
      <h2 className="text-lg font-semibold">{texts.emptyTitle}</h2>
      {texts.empty.map((line) => (
        <p key={line} className="text-muted">
          {line}
        </p>
      ))}
      <div className="mt-3">
        <ImportHistory />
      </div>
    </div>
  );
}

import { useQuery } from "@tanstack/react-query";
import type { ReceivedExchange } from "undangle/client";

import { server } from "../../api/server.ts";
import { useScopes } from "../../api/session.ts";
import { Badge } from "../../parts/badge.tsx";
import { CopyButton } from "../../parts/controls/copy-button.tsx";
import { ExactText } from "../../parts/text/exact-text.tsx";
import { Failure } from "../../parts/failure.tsx";
import { FoldedText } from "../../parts/text/folded-text.tsx";
import { useTexts } from "../../texts/language.tsx";
import { shellTexts } from "../../texts/shell-texts.ts";
import { timelineTexts } from "../../texts/timeline-texts.ts";
import { curlCommand, shownText } from "./curl-text.ts";

export interface ExchangeProps {
  readonly threadId: string;
  readonly entry: number;
  /** The calls that lead to the child thread of the turn. */
  readonly path: readonly string[];
}

/** The request to a model and its response. Only administrators may read them. */
export function Exchange({ threadId, entry, path }: ExchangeProps) {
  const texts = useTexts(timelineTexts);
  const { isAdmin } = useScopes();
  const inChild = path.length === 0 ? {} : { path };
  const request = useQuery({
    queryKey: ["request", threadId, ...path, entry],
    queryFn: () => server.threads.request(threadId, entry, inChild),
    enabled: isAdmin,
  });
  const response = useQuery({
    queryKey: ["response", threadId, ...path, entry],
    queryFn: () => server.threads.response(threadId, entry, inChild),
    enabled: isAdmin,
  });
  if (!isAdmin) return <p className="text-sm text-muted">{texts.needsAdmin}</p>;
  return (
    <>
      <Half title={texts.request} query={request} isRequest />
      <Half title={texts.response} query={response} />
    </>
  );
}

interface HalfProps {
  readonly title: string;
  readonly query: {
    readonly data: ReceivedExchange | undefined;
    readonly error: unknown;
    readonly refetch: () => unknown;
  };
  readonly isRequest?: boolean;
}

function Half({ title, query: { data, error, refetch }, isRequest = false }: HalfProps) {
  const texts = useTexts(timelineTexts);
  const { loading } = useTexts(shellTexts);
  const command = isRequest && data !== undefined ? curlCommand(data) : undefined;
  return (
    <section aria-label={title} className="flex flex-col gap-2 border-t border-line pt-3">
      <h3 className="font-medium">{title}</h3>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {error === null && data === undefined && <p className="text-sm text-muted">{loading}</p>}
      {data !== undefined && (
        <>
          <p className="flex flex-wrap items-center gap-2 text-sm">
            <Badge tone={data.source === "recorded" ? "good" : "warn"}>{texts.sources[data.source].name}</Badge>
            <span className="text-muted">
              <ExactText text={`${data.model} · ${data.format}`} />
            </span>
          </p>
          {isRequest && data.target !== undefined && (
            <p className="font-mono text-xs break-all text-muted">
              <ExactText text={`POST ${data.target.url}`} />
            </p>
          )}
          {isRequest && data.target === undefined && <p className="text-xs text-muted">{texts.noTarget}</p>}
          <p className="text-xs text-muted">{texts.sources[data.source].means}</p>
          {isRequest && typeof data.body === "string" && <p className="text-sm text-warn">{texts.cutOff}</p>}
          <div className="flex flex-wrap gap-2">
            <CopyButton label={texts.copyJson} text={shownText(data)} />
            {command !== undefined && <CopyButton label={texts.copyCurl} text={command.text} />}
          </div>
          {command !== undefined && <p className="text-xs text-muted">{texts.keyHint(command.variables.join(", "))}</p>}
          <FoldedText text={shownText(data)} />
        </>
      )}
    </section>
  );
}

import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import type { ProjectAllowance } from "undangle/client";
import { Link } from "wouter";

import { useKeyName } from "../api/people.ts";
import { queries, server } from "../api/server.ts";
import { useQueue } from "../api/queue.ts";
import { useScopes, useSession } from "../api/session.ts";
import { ExactText } from "../parts/text/exact-text.tsx";
import { Failure } from "../parts/failure.tsx";
import { JsonText } from "../parts/text/folded-text.tsx";
import { Ago } from "../parts/moment.tsx";
import { useReadAgain } from "../parts/use-read-again.ts";
import { useRested } from "../parts/use-rested.ts";
import { threadPlace } from "../shell/address.ts";
import { useTexts } from "../texts/language.tsx";
import { settingsTexts } from "../texts/settings-texts.ts";
import { allowanceTree } from "./allowance-tree.ts";
import { ConfirmButton } from "../parts/controls/confirm-button.tsx";
import { Section } from "./section.tsx";

/** Other tabs of the browser learn here of revocations. */
const channel = "undangle-allowances";

/** What runs without a decision: agent › tool › arguments, with who allowed it. */
export function AllowancesSection() {
  const texts = useTexts(settingsTexts).allowances;
  const { mayDecide } = useScopes();
  const { isPending } = useSession();
  const reading = useQuery({
    queryKey: ["allowances"],
    queryFn: () => server.allowances(),
    staleTime: 0,
    refetchOnWindowFocus: false,
    enabled: mayDecide,
  });
  const { data, error, refetch } = reading;
  // A decision may have allowed more. Not at an interval, and not for each of many: the server looks into all threads.
  const readAgain = useReadAgain(useRested(useQueue().threads, 500), reading);
  useEffect(() => {
    const revocations = new BroadcastChannel(channel);
    revocations.addEventListener("message", readAgain);
    addEventListener("focus", readAgain);
    return () => {
      revocations.close();
      removeEventListener("focus", readAgain);
    };
  }, [readAgain]);
  if (!mayDecide && !isPending) return <Section title={texts.title}>{texts.mayNot}</Section>;
  return (
    <Section title={texts.title} lead={texts.lead}>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data?.length === 0 && <p>{texts.none}</p>}
      <ul className="flex flex-col gap-3">
        {allowanceTree(data ?? []).map(({ agent, tools }) => (
          <li key={agent}>
            <h3 className="font-medium">
              <ExactText text={agent} />
            </h3>
            <ul className="ml-1 flex flex-col gap-2 border-l-2 border-line pl-3">
              {tools.map(({ tool, allowances }) => (
                <li key={tool}>
                  <h4 className="font-mono text-sm">
                    <ExactText text={tool} />
                  </h4>
                  <ul className="ml-1 flex flex-col border-l-2 border-line pl-3">
                    {allowances.map((each) => (
                      <AllowanceLine key={each.id} allowance={each} />
                    ))}
                  </ul>
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function AllowanceLine({ allowance }: { readonly allowance: ProjectAllowance }) {
  const { allowances: texts, sure } = useTexts(settingsTexts);
  const { id, tool, scope, match, threadId, threadTitle, at, by, raw } = allowance;
  const nameOf = useKeyName();
  const [root = "", ...calls] = threadId.split("/"); // the calls lead to the thread of a sub-agent
  const title = threadTitle ?? root;
  const inThread = calls.length === 0 ? texts.inThread : texts.inTask;
  const what = match === "tool" ? texts.allCalls : texts.theseArguments;
  const where = scope === "agent" ? texts.everyThread : `${inThread} ${title}`;
  const revoke = async (): Promise<void> => {
    await server.revokeAllowance(id);
    const revocations = new BroadcastChannel(channel);
    const post: (message: string) => void = revocations.postMessage.bind(revocations);
    post(id);
    revocations.close();
    await queries.invalidateQueries({ queryKey: ["allowances"] });
  };
  return (
    <li className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2 py-2">
      <div className="min-w-0 flex-1 basis-56">
        <p>
          {what}{" "}
          {scope === "agent" ? (
            texts.everyThread
          ) : (
            <>
              {inThread}{" "}
              <Link href={threadPlace(root)} className="break-words text-accent underline">
                <ExactText text={title} />
              </Link>
            </>
          )}
        </p>
        {match === "arguments" && <JsonText value={raw ?? allowance.arguments} shown={500} />}
        <p className="text-sm text-muted">
          <Ago at={at} />
          {by !== undefined && (
            <>
              {" · "}
              <ExactText text={texts.by(nameOf(by))} />
            </>
          )}
        </p>
      </div>
      <ConfirmButton
        text={texts.revoke}
        sure={sure}
        name={texts.revokeName(tool, `${what}, ${where}`)}
        onConfirm={revoke}
      />
    </li>
  );
}

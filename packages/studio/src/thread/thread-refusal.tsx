import { useState } from "react";
import { Link } from "wouter";
import { ServerRefusal } from "undangle/client";

import { server } from "../api/server.ts";
import { messageOf } from "../parts/error-message.ts";
import { Button } from "../parts/controls/button.tsx";
import { Failure, FailureText } from "../parts/failure.tsx";
import { useTexts } from "../texts/language.tsx";
import { threadTexts } from "../texts/thread-texts.ts";

interface ThreadRefusalProps {
  readonly id: string;
  readonly error: unknown;
  readonly onRetry: () => void;
}

/** Why a thread cannot be shown, and what to do about it. */
export function ThreadRefusal({ id, error, onRetry }: ThreadRefusalProps) {
  const { refused: texts } = useTexts(threadTexts);
  const [failure, setFailure] = useState("");
  if (!(error instanceof ServerRefusal)) return <Failure error={error} onRetry={onRetry} />;
  const explanations: Readonly<Record<number, string>> = {
    403: texts.forbidden,
    404: texts.missing,
    410: texts.deleted,
  };
  const explanation = explanations[error.status];
  if (explanation === undefined) return <Failure error={error} onRetry={onRetry} />;
  const restore = async (): Promise<void> => {
    try {
      await server.threads.restore(id);
      onRetry();
    } catch (thrown) {
      setFailure(messageOf(thrown));
    }
  };
  return (
    <div role="alert" className="mx-auto mt-16 flex max-w-md flex-col items-center gap-4 p-6 text-center">
      <h1 className="text-lg">{explanation}</h1>
      <FailureText text={failure} />
      <p className="flex flex-wrap justify-center gap-2">
        {error.status === 410 && (
          <Button look="main" onClick={() => void restore()}>
            {texts.restore}
          </Button>
        )}
        <Link href="/" className="inline-flex min-h-9 items-center px-2 text-accent underline">
          {texts.inbox}
        </Link>
      </p>
    </div>
  );
}

import { messageOf } from "./error-message.ts";
import { useTexts } from "../texts/language.tsx";
import { shellTexts } from "../texts/shell-texts.ts";
import { Button } from "./controls/button.tsx";
import { ExactText } from "./text/exact-text.tsx";

/** What went wrong, and a way to try again. */
export function Failure({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  const texts = useTexts(shellTexts);
  return (
    <div role="alert" className="m-4 rounded-md border border-bad bg-bad-soft p-3 text-bad">
      <p className="break-words">
        <ExactText text={texts.failed(messageOf(error))} />
      </p>
      {onRetry !== undefined && (
        <Button className="mt-2" onClick={onRetry}>
          {texts.retry}
        </Button>
      )}
    </div>
  );
}

/** Why an action failed; nothing without a text. */
export function FailureText({ text, className = "" }: { readonly text: string; readonly className?: string }) {
  if (text === "") return null;
  return (
    <p role="alert" className={`text-sm break-words text-bad ${className}`}>
      <ExactText text={text} />
    </p>
  );
}

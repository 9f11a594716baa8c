import { messageOf } from "../api/server.ts";
import { useTexts } from "../texts/language.tsx";
import { shellTexts } from "../texts/shell-texts.ts";
import { Button } from "./button.tsx";

/** What went wrong, and a way to try again. */
export function Failure({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  const texts = useTexts(shellTexts);
  return (
    <div role="alert" className="m-4 rounded-md border border-bad bg-bad-soft p-3 text-bad">
      <p>{texts.failed(messageOf(error))}</p>
      {onRetry !== undefined && (
        <Button className="mt-2" onClick={onRetry}>
          {texts.retry}
        </Button>
      )}
    </div>
  );
}

import { inboxTexts } from "../texts/inbox-texts.ts";
import { useTexts } from "../texts/language.tsx";

/** The keyboard shortcuts of the inbox. */
export function ShortcutList() {
  const texts = useTexts(inboxTexts);
  return (
    <section aria-label={texts.keys} className="rounded-lg border border-line bg-surface p-3">
      <dl className="grid gap-x-6 gap-y-1 text-sm sm:grid-cols-2 lg:grid-cols-3">
        {texts.keyList.map(([key, action]) => (
          <div key={key} className="flex gap-3">
            <dt className="w-14 flex-none whitespace-nowrap">
              <kbd className="rounded border border-line bg-raised px-1.5 font-mono text-xs">{key}</kbd>
            </dt>
            <dd className="text-muted">{action}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

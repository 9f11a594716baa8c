import { Link } from "wouter";

import { useTexts } from "../texts/language.tsx";
import { shellTexts } from "../texts/shell-texts.ts";
import { threadPlace, usePlace } from "./address.ts";

/** The views of one thread. */
export function ThreadTabs({ id }: { readonly id: string }) {
  const texts = useTexts(shellTexts);
  const place = usePlace();
  const tabs = [
    { href: threadPlace(id), text: texts.chat },
    { href: `${threadPlace(id)}/timeline`, text: texts.timeline },
    { href: `${threadPlace(id)}/repairs`, text: texts.repairs },
  ];
  return (
    <nav aria-label={texts.views} className="flex gap-1">
      {tabs.map(({ href, text }) => (
        <Link
          key={href}
          href={href}
          aria-current={place === href ? "page" : undefined}
          className="inline-flex min-h-8 items-center rounded-md px-2.5 text-sm hover:bg-raised aria-[current=page]:bg-accent-soft aria-[current=page]:font-medium pointer-coarse:min-h-11 forced-colors:aria-[current=page]:underline"
        >
          {text}
        </Link>
      ))}
    </nav>
  );
}

import { Inbox, Menu, Settings, Stethoscope, X } from "lucide-react";
import { useEffect, useState } from "react";
import type { ReactNode } from "react";
import { Link, useLocation } from "wouter";

import { useQueue } from "../api/queue.ts";
import { useNotifications } from "../inbox/notifications.tsx";
import icon from "../icon.svg";
import { useTexts } from "../texts/language.tsx";
import { shellTexts } from "../texts/shell-texts.ts";
import { ThreadList } from "./thread-list.tsx";

/** The frame of every view: navigation, threads and the count of pending calls. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const texts = useTexts(shellTexts);
  const [place] = useLocation();
  const [isOpen, setIsOpen] = useState(false);
  const { count } = useQueue();
  useNotifications();
  useEffect(() => setIsOpen(false), [place]);
  useEffect(() => {
    document.title = count > 0 ? `(${count}) Undangle` : "Undangle";
  }, [count]);
  const links = [
    { href: "/", text: texts.inbox, icon: Inbox, count },
    { href: "/doctor", text: texts.doctor, icon: Stethoscope, count: 0 },
    { href: "/settings", text: texts.settings, icon: Settings, count: 0 },
  ];
  return (
    <div className="flex h-full flex-col md:flex-row">
      <a href="#main" className="sr-only focus:not-sr-only focus:absolute focus:z-20 focus:bg-surface focus:p-2">
        {texts.skip}
      </a>
      <header className="flex items-center gap-2 border-b border-line bg-surface px-3 py-2 md:hidden">
        <button
          type="button"
          className="rounded p-2 hover:bg-raised"
          aria-label={isOpen ? texts.close : texts.menu}
          aria-expanded={isOpen}
          aria-controls="menu"
          onClick={() => setIsOpen(!isOpen)}
        >
          {isOpen ? <X size={20} aria-hidden /> : <Menu size={20} aria-hidden />}
        </button>
        <span className="font-semibold">Undangle</span>
        {count > 0 && (
          <Link href="/" className="ml-auto rounded bg-warn-soft px-2 py-1 text-sm font-medium text-warn">
            {texts.pending(count)}
          </Link>
        )}
      </header>
      <nav
        id="menu"
        aria-label={texts.menu}
        className={`${isOpen ? "flex" : "hidden"} min-h-0 flex-1 flex-col gap-1 border-line bg-surface p-3 md:flex md:w-64 md:flex-none md:border-r`}
      >
        <p className="hidden items-center gap-2 px-2 pb-2 text-lg font-semibold md:flex">
          <img src={icon} alt="" width={22} height={22} /> Undangle
        </p>
        {links.map(({ href, text, icon: Icon, count: waiting }) => (
          <Link
            key={href}
            href={href}
            aria-current={place === href ? "page" : undefined}
            className="flex min-h-9 items-center gap-2 rounded-md px-2 py-1.5 hover:bg-raised aria-[current=page]:bg-accent-soft aria-[current=page]:font-medium pointer-coarse:min-h-11"
          >
            <Icon size={18} aria-hidden /> {text}
            {waiting > 0 && (
              <span
                className="ml-auto rounded bg-warn-soft px-1.5 text-sm font-medium text-warn"
                aria-label={texts.pending(waiting)}
              >
                {waiting}
              </span>
            )}
          </Link>
        ))}
        <ThreadList />
      </nav>
      <main
        id="main"
        tabIndex={-1}
        className={`${isOpen ? "hidden" : ""} min-h-0 min-w-0 flex-1 overflow-auto outline-none md:block`}
      >
        {children}
      </main>
    </div>
  );
}

import { Inbox, Menu, Settings, Stethoscope, X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { KeyboardEvent, ReactNode, RefObject, SyntheticEvent } from "react";
import { flushSync } from "react-dom";
import { Link, useLocation } from "wouter";

import { useQueue } from "../api/queue.ts";
import icon from "../icon.svg";
import { useTexts } from "../texts/language.tsx";
import { shellTexts } from "../texts/shell-texts.ts";
import { useNotifications } from "./notifications.ts";
import { useDocumentTitle } from "./page-title.ts";
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
    const wide = matchMedia("(width >= 64rem)"); // the menu is beside the content, which must not stay inert
    const close = (): void => setIsOpen(false);
    wide.addEventListener("change", close);
    return () => wide.removeEventListener("change", close);
  }, []);
  const links = [
    { href: "/", text: texts.inbox, icon: Inbox, count },
    { href: "/doctor", text: texts.doctor, icon: Stethoscope, count: 0 },
    { href: "/settings", text: texts.settings, icon: Settings, count: 0 },
  ];
  useDocumentTitle(count, links.find(({ href }) => href === place)?.text ?? "");
  const main = useRef<HTMLElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const closer = useRef<HTMLButtonElement>(null);
  /** What is focused must not be inert, so that the page changes first. */
  const setMenu = (isWanted: boolean, focused: RefObject<HTMLElement | null>): void => {
    flushSync(() => setIsOpen(isWanted));
    focused.current?.focus();
  };
  /** A link to the current view closes the menu too. */
  const onChosen = ({ target }: SyntheticEvent): void => {
    if (isOpen && target instanceof Element && target.closest("a") !== null) setMenu(false, main);
  };
  const onKeyDown = ({ key }: KeyboardEvent): void => {
    if (isOpen && key === "Escape") setMenu(false, opener);
  };
  const square = "grid size-11 place-items-center rounded-md hover:bg-raised";
  return (
    <div className="flex h-full flex-col lg:flex-row">
      <a href="#main" className="sr-only focus:not-sr-only focus:absolute focus:z-40 focus:bg-surface focus:p-2">
        {texts.skip}
      </a>
      <header inert={isOpen} className="flex items-center gap-1 border-b border-line bg-surface px-1.5 py-1 lg:hidden">
        <button
          ref={opener}
          type="button"
          className={square}
          aria-label={texts.menu}
          aria-expanded={isOpen}
          aria-controls="menu"
          onClick={() => setMenu(true, closer)}
        >
          <Menu size={20} aria-hidden />
        </button>
        <span className="font-semibold">Undangle</span>
        {count > 0 && (
          <Link href="/" className="mr-1.5 ml-auto rounded bg-warn-soft px-2 py-1 text-sm font-medium text-warn">
            {texts.pending(count)}
          </Link>
        )}
      </header>
      {isOpen && (
        <div aria-hidden className="fixed inset-0 z-20 bg-black/40 lg:hidden" onClick={() => setMenu(false, opener)} />
      )}
      <nav
        id="menu"
        aria-label={texts.menu}
        onClick={onChosen}
        onKeyDown={onKeyDown}
        className={`${isOpen ? "flex" : "hidden"} fixed inset-y-0 left-0 z-30 w-72 max-w-[85vw] flex-col gap-1 border-r border-line bg-surface p-3 shadow-xl lg:static lg:flex lg:w-64 lg:flex-none lg:shadow-none`}
      >
        <p className="flex items-center gap-2 px-2 pb-2 text-lg font-semibold">
          <img src={icon} alt="" width={22} height={22} /> Undangle
          <button
            ref={closer}
            type="button"
            className={`-my-2 -mr-2 ml-auto lg:hidden ${square}`}
            aria-label={texts.close}
            onClick={() => setMenu(false, opener)}
          >
            <X size={20} aria-hidden />
          </button>
        </p>
        {links.map(({ href, text, icon: Icon, count: waiting }) => (
          <Link
            key={href}
            href={href}
            aria-current={place === href ? "page" : undefined}
            className="flex min-h-9 items-center gap-2 rounded-md px-2 py-1.5 hover:bg-raised aria-[current=page]:bg-accent-soft aria-[current=page]:font-medium pointer-coarse:min-h-11 forced-colors:aria-[current=page]:underline"
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
        ref={main}
        id="main"
        tabIndex={-1}
        inert={isOpen}
        className="min-h-0 min-w-0 flex-1 overflow-auto outline-none"
      >
        {children}
      </main>
    </div>
  );
}

import { useEffect, useState } from "react";

/** What a person drops or pastes. */
export type Given = (data: DataTransfer) => void;

/**
 * Takes what is dropped anywhere on the page, which the browser would open instead, and what is pasted outside a field.
 * Returns true while something is dragged over the page.
 */
export function useDrop(take: Given): boolean {
  const [isOver, setIsOver] = useState(false);
  useEffect(() => {
    const over = (event: DragEvent): void => {
      event.preventDefault();
      setIsOver(true);
    };
    const leave = ({ relatedTarget }: DragEvent): void => {
      if (relatedTarget === null) setIsOver(false); // not into another element of the page
    };
    const drop = (event: DragEvent): void => {
      event.preventDefault();
      setIsOver(false);
      if (event.dataTransfer !== null) take(event.dataTransfer);
    };
    const paste = (event: ClipboardEvent): void => {
      const isField = event.target instanceof Element && event.target.closest("input, textarea, select") !== null;
      if (isField || event.clipboardData === null) return;
      event.preventDefault();
      take(event.clipboardData);
    };
    addEventListener("dragover", over);
    addEventListener("dragleave", leave);
    addEventListener("drop", drop);
    addEventListener("paste", paste);
    return () => {
      removeEventListener("dragover", over);
      removeEventListener("dragleave", leave);
      removeEventListener("drop", drop);
      removeEventListener("paste", paste);
    };
  }, [take]);
  return isOver;
}

import { Square, SquareCheck } from "lucide-react";
import { memo, useEffect, useReducer } from "react";
import type { ReactElement, ReactNode } from "react";
import ReactMarkdown, { defaultUrlTransform } from "react-markdown";
import type { Components } from "react-markdown";
import rehypeSanitize, { defaultSchema } from "rehype-sanitize";
import remarkGfm from "remark-gfm";

import type { Texts } from "../../texts/language.tsx";
import { useTexts } from "../../texts/language.tsx";
import { CopyIcon } from "../controls/copy-button.tsx";
import { textSegments } from "./text-segments.ts";
import type { TextSegment } from "./text-segments.ts";
import { DeceptionMark, ExactText } from "./exact-text.tsx";
import { FoldedText } from "./folded-text.tsx";
import { blocksOf } from "./markdown-blocks.ts";

const texts: Texts<{ readonly copy: string; readonly done: string; readonly open: string }> = {
  en: { copy: "Copy this code", done: "done", open: "open" },
  zh: { copy: "复制这段代码", done: "已完成", open: "未完成" },
};

/** Longer texts are shown folded and without Markdown. */
const longest = 100_000;

/** Images that are part of the text. Those with markup, such as SVG, are not among them. */
const isDataImage = (url: string): boolean => /^data:image\/(?:png|jpeg|gif|webp);/iu.test(url);

const schema = {
  ...defaultSchema,
  protocols: { ...defaultSchema.protocols, src: [...(defaultSchema.protocols?.["src"] ?? []), "data"] },
};

/** Images of other hosts would report what the model wrote, and the page may not load them: they are links. */
function SafeImage({ src, alt = "" }: { readonly src?: unknown; readonly alt?: string | undefined }) {
  if (typeof src !== "string") return <ExactText text={alt} />;
  if (isDataImage(src)) return <img src={src} alt={alt} className="max-h-96 max-w-full rounded" />;
  return (
    <SafeLink href={src}>
      <ExactText text={alt === "" ? src : `${alt} (${src})`} />
    </SafeLink>
  );
}

const SafeLink = ({ href, children }: { readonly href?: string | undefined; readonly children?: ReactNode }) => (
  <a href={href} title={href} target="_blank" rel="noopener noreferrer nofollow" className="text-accent underline">
    {children}
  </a>
);

/** The box of an item of a task list. */
function TaskMark({ isDone }: { readonly isDone: boolean }) {
  const { done, open } = useTexts(texts);
  const Icon = isDone ? SquareCheck : Square;
  return <Icon size="1em" role="img" aria-label={isDone ? done : open} className="mr-1.5 inline align-[-0.125em]" />;
}

const components: Components = {
  a: ({ href, children }) => <SafeLink href={href}>{children}</SafeLink>,
  // The title of the page is above these.
  h1: ({ children }) => <h2 className="text-[1.4em]">{children}</h2>,
  h2: ({ children }) => <h3 className="text-[1.25em]">{children}</h3>,
  h3: ({ children }) => <h4 className="text-[1.1em]">{children}</h4>,
  h4: ({ children }) => <h5>{children}</h5>,
  h5: ({ children }) => <h6>{children}</h6>,
  input: ({ checked }) => <TaskMark isDone={checked === true} />,
  img: ({ src, alt }) => <SafeImage src={src} alt={alt} />,
  mark: ({ children }) => <DeceptionMark>{children}</DeceptionMark>,
  pre: ({ children }) => <pre tabIndex={0}>{children}</pre>,
  table: ({ children }) => (
    <div className="overflow-x-auto" tabIndex={0}>
      <table>{children}</table>
    </div>
  ),
};

export interface MarkdownProps {
  readonly text: string;
  /** Shows what could deceive a person who decides by the text: HTML as it is written, hidden characters with marks. */
  readonly isExact?: boolean;
}

/** Text of a model as sanitised Markdown: no HTML, no scripts, no images of other hosts. */
export function Markdown({ text, isExact = false }: MarkdownProps) {
  if (text.length > longest) return <FoldedText text={text} />;
  return (
    <div className="markdown min-w-0 break-words">
      {blocksOf(text).map((block, i) =>
        block.type === "code" ? (
          <Code key={i} text={block.text} />
        ) : (
          <Block key={i} text={block.text} isExact={isExact} />
        ),
      )}
    </div>
  );
}

const longestCode = 20_000;

const Code = memo(function Code({ text }: { readonly text: string }) {
  const { copy } = useTexts(texts);
  if (text.length > longestCode) return <FoldedText text={text} />;
  return (
    <div className="relative">
      <pre tabIndex={0}>
        <code>
          <ExactText text={text} />
        </code>
      </pre>
      <CopyIcon text={text} label={copy} />
    </div>
  );
});

/** A block of Markdown. It is plain until it is its turn to be parsed, and stays so if it cannot be parsed. */
const Block = memo(function Block({ text, isExact }: Required<MarkdownProps>) {
  const [, tryAgain] = useReducer((count: number) => count + 1, 0);
  const shown = parsedOrUndefined(text, isExact);
  const isLate = shown === undefined;
  useEffect(() => {
    if (!isLate) return;
    const timer = setTimeout(tryAgain);
    return () => clearTimeout(timer);
  });
  return shown ?? <Plain text={text} />;
});

const Plain = ({ text }: { readonly text: string }) => (
  <p className="whitespace-pre-wrap">
    <ExactText text={text} />
  </p>
);

/** How long a task may parse, in milliseconds. The remaining blocks are parsed in later tasks, so that the page responds. */
const mostTime = 30;
let spent = 0; // in this task
let isTimed = false;

/** What was parsed last, so that a block that comes into sight again appears at once. */
const known = new Map<string, ReactNode>();
const mostKnown = 400;

function parsedOrUndefined(text: string, isExact: boolean): ReactNode | undefined {
  const key = `${isExact} ${text}`;
  const before = known.get(key);
  if (before !== undefined || spent > mostTime) return before;
  if (!isTimed) {
    isTimed = true;
    setTimeout(() => {
      isTimed = false;
      spent = 0;
    });
  }
  const start = performance.now();
  const shown = parsed(text, isExact);
  spent += performance.now() - start;
  known.set(key, shown);
  const [oldest] = known.keys();
  if (known.size > mostKnown && oldest !== undefined) known.delete(oldest);
  return shown;
}

/** Lists and quotes in each other, deeper than people write. Parsers need much time or memory for them. */
const nested = /^(?:[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])[ \t])){12}/mu;

/** Marks instead of words. The time of parsers grows with the square of their number. */
function isMostlyMarks(text: string): boolean {
  const marks = text.length < 800 ? 0 : text.replaceAll(/[^*_~`[\]<!]/gu, "").length;
  return marks > 800 && marks > text.length / 4;
}

function parsed(text: string, isExact: boolean): ReactElement {
  if (nested.test(text) || isMostlyMarks(text)) return <Plain text={text} />;
  try {
    return ReactMarkdown({
      children: text,
      remarkPlugins: [remarkGfm],
      rehypePlugins: isExact
        ? [showHtml, [rehypeSanitize, schema], markDeceptions, refuseLargeTrees]
        : [[rehypeSanitize, schema], refuseLargeTrees],
      components,
      urlTransform: (url, name) => (name === "src" && isDataImage(url) ? url : defaultUrlTransform(url)),
    });
  } catch (error) {
    if (error instanceof RangeError) return <Plain text={text} />; // the text nests deeper than the parser can follow
    throw error;
  }
}

interface Node {
  readonly type: string;
  readonly value?: string;
  readonly tagName?: string;
  readonly properties?: object;
  readonly children?: readonly Node[];
}

/** The tree in which nodes without children are replaced. */
const withLeaves = (node: Node, replace: (leaf: Node) => readonly Node[]): Node =>
  node.children === undefined
    ? node
    : {
        ...node,
        children: node.children.flatMap((child) =>
          child.children === undefined ? replace(child) : [withLeaves(child, replace)],
        ),
      };

/** HTML would be left out with the text in it. */
const showHtml = () => (tree: Node) =>
  withLeaves(tree, (leaf) => [leaf.type === "raw" ? { ...leaf, type: "text" } : leaf]);

const markDeceptions = () => (tree: Node) =>
  withLeaves(tree, (leaf) => (leaf.type === "text" ? textSegments(leaf.value ?? "").map(nodeOf) : [leaf]));

function nodeOf({ text, isMarked }: TextSegment): Node {
  const node = { type: "text", value: text };
  return isMarked ? { type: "element", tagName: "mark", properties: {}, children: [node] } : node;
}

const mostNodes = 3_000;

/** A short text can describe a table of thousands of columns, which takes a browser long to lay out. */
function refuseLargeTrees() {
  return (tree: Node): void => {
    let count = 0;
    const visit = (node: Node, depth: number): void => {
      count++;
      if (count > mostNodes || depth > 100) throw new RangeError("The text has too many parts.");
      for (const child of node.children ?? []) visit(child, depth + 1);
    };
    visit(tree, 0);
  };
}

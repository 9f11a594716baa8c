/** The style of the page, for light and dark mode and for wide and narrow screens. */
export const pageStyle = `
:root { color-scheme: light dark; --ground: #fbfaf8; --card: #fff; --ink: #1d1b19; --soft: #6b655e; --line: #e4dfd8; --accent: #a8431f; --code: #f4f0ea }
@media (prefers-color-scheme: dark) { :root { --ground: #171514; --card: #201d1b; --ink: #ece7e1; --soft: #a39b92; --line: #37322e; --accent: #f0936b; --code: #292521 } }
* { box-sizing: border-box }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.55 system-ui, "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif }
main { max-width: 58rem; margin: 0 auto; padding: 3rem 1.25rem 4rem }
h1 { margin: 0; font-size: 2.1rem; letter-spacing: -.02em }
h1::after { content: ""; display: block; width: 2.5rem; height: 4px; margin: .6rem 0 .8rem; border-radius: 2px; background: var(--accent) }
h2 { margin: 2.5rem 0 .8rem; font-size: 1.2rem }
h3 { margin: 1.4rem 0 .3rem; font-size: .95rem; color: var(--soft); font-weight: 600 }
p { margin: 0 0 .8rem }
.lead { font-size: 1.1rem; color: var(--soft); max-width: 44rem }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 18rem), 1fr)); gap: 1rem; margin: 0; padding: 0; list-style: none }
.cards li { padding: 1rem 1.1rem; border: 1px solid var(--line); border-radius: .7rem; background: var(--card) }
.cards b { display: block }
dl { display: grid; grid-template-columns: auto 1fr; gap: .15rem .8rem; margin: .6rem 0 0; font-size: .92rem }
dt { color: var(--soft) }
dd { margin: 0; overflow-wrap: anywhere }
code { font: .86em/1.6 ui-monospace, "SF Mono", Menlo, Consolas, monospace }
dd code, td code, p code { padding: .08em .35em; border-radius: .3em; background: var(--code) }
pre { margin: 0 0 .6rem; padding: .9rem 1.1rem; border: 1px solid var(--line); border-radius: .7rem; background: var(--code); white-space: pre-wrap; overflow-wrap: anywhere; -webkit-user-select: all; user-select: all; cursor: copy }
ol { margin: 0; padding: 0; list-style: none; counter-reset: step }
ol li { counter-increment: step }
ol li > span::before { content: counter(step) ". "; color: var(--accent); font-weight: 600 }
ol li > span { display: block; margin: .6rem 0 .3rem; font-size: .95rem }
table { width: 100%; border-collapse: collapse; font-size: .95rem }
td { padding: .4rem .8rem .4rem 0; border-bottom: 1px solid var(--line); vertical-align: top }
td:first-child { width: 4.5rem; color: var(--accent) }
td:nth-child(2) { width: 17rem }
td:first-child code { padding: 0; background: none; font-weight: 600 }
a { color: inherit }
@media (max-width: 40rem) {
  main { padding-top: 2rem }
  tr { display: grid; grid-template-columns: 4rem 1fr; padding: .45rem 0; border-bottom: 1px solid var(--line) }
  td, td:first-child, td:nth-child(2) { width: auto; padding: 0; border: 0 }
  td:last-child { grid-column: 2; color: var(--soft) }
}
`;

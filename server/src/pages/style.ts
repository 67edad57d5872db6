import { hash } from 'node:crypto'

/** One style sheet for all pages. Sizes are in `rem`, so pages scale with the reader's font size. */
export const style = `
:root {
  color-scheme: light dark;
  --ground: #f4f3ef; --sheet: #ffffff; --ink: #1d1c1a; --soft: #5b5952; --line: #d8d6ce; --edge: #86837a;
  --accent: #14585c; --on-accent: #ffffff; --tint: #eaf3f2; --wrong: #a1260d; --wrong-tint: #fdf0ed;
  --live: #8a4200; --live-tint: #fdf1e0; --on-live: #ffffff;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #131312; --sheet: #1d1d1b; --ink: #eeece6; --soft: #b5b2a9; --line: #3a3935; --edge: #87847b;
    --accent: #86cbc8; --on-accent: #06201f; --tint: #1c2b2b; --wrong: #ff9c87; --wrong-tint: #33201c;
    --live: #ffb763; --live-tint: #33260f; --on-live: #2a1700;
  }
}
*, *::before, *::after { box-sizing: border-box }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100% }
body {
  margin: 0; padding: 1.5rem 1rem 3rem; background: var(--ground); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; overflow-wrap: anywhere;
}
.top, main, .foot { max-width: 34rem; margin: 0 auto }
.top { display: flex; flex-wrap: wrap; align-items: center; gap: .2rem .6rem; overflow-wrap: normal; padding: 0 .25rem .9rem; font-weight: 600; letter-spacing: .01em }
.top svg { width: 1.75rem; height: 1.75rem; flex: none; color: var(--accent) }
.world { margin-left: auto; font-size: .8125rem; font-weight: 500; color: var(--soft) }
main {
  background: var(--sheet); border: 1px solid var(--line); border-radius: .9rem;
  padding: 1.9rem clamp(.9rem, 5vw, 2rem) 2rem;
  box-shadow: 0 1px 2px #0000000d, 0 12px 32px -18px #00000033;
}
main.wide { max-width: 44rem }
.top.wide, .foot.wide { max-width: 44rem }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .6rem; letter-spacing: -.01em; text-wrap: balance }
h2, legend { font-size: 1rem; line-height: 1.4; font-weight: 650; margin: 0 0 .5rem; padding: 0 }
h2 { margin-top: 1.6rem }
p { margin: 0 0 .8rem }
main ul { margin: 0; padding-left: 1.25rem }
a { color: var(--accent); text-underline-offset: .15em }
.soft { color: var(--soft) }
.small { font-size: .875rem }
.about { margin-bottom: 1.2rem }
.about .small { display: flex; flex-wrap: wrap; gap: .15rem 1rem; margin: 0 }
ul.may { list-style: none; margin: 0; padding: 0; border: 1px solid var(--line); border-radius: .6rem }
ul.may li { padding: .65rem clamp(.6rem, 3vw, .9rem); border-top: 1px solid var(--line) }
ul.may li:first-child { border-top: 0 }
ul.may b { display: block; font-weight: 600 }
ul.may span { display: block; color: var(--soft); font-size: .875rem }
fieldset { border: 0; margin: 1.6rem 0 0; padding: 0; min-width: 0 }
.choice {
  display: flex; gap: .75rem; align-items: center; min-height: 3rem; padding: .55rem clamp(.6rem, 3vw, .9rem); margin: 0 0 .5rem;
  border: 1px solid var(--line); border-radius: .6rem; cursor: pointer;
}
.choice:hover { border-color: var(--edge) }
.choice:has(:checked) { border-color: var(--accent); background: var(--tint) }
.choice input { width: 1.15rem; height: 1.15rem; margin: 0; flex: none; accent-color: var(--accent) }
.choice .what { flex: 1; min-width: 0; display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1rem }
.choice .cash { color: var(--soft); font-size: .875rem; line-height: 1.7; font-variant-numeric: tabular-nums }
label.of { display: block; font-weight: 600; margin: 1.1rem 0 .35rem }
input.text {
  width: 100%; min-height: 2.9rem; padding: .5rem .75rem; font: inherit; color: inherit; background: var(--sheet);
  border: 1px solid var(--edge); border-radius: .5rem;
}
input[aria-invalid] { border-color: var(--wrong); border-width: 2px }
button {
  font: inherit; font-weight: 600; min-height: 2.9rem; padding: .55rem clamp(.5rem, 3vw, 1.2rem); border-radius: .55rem; cursor: pointer;
  border: 1.5px solid var(--accent); background: var(--sheet); color: var(--accent);
}
button:hover { background: var(--tint) }
button:disabled { opacity: .55; cursor: default; filter: none }
button.wide { width: 100%; margin-top: 1rem }
button.main { background: var(--accent); color: var(--on-accent); width: 100%; margin-top: 1.5rem }
button.main:hover { background: var(--accent); filter: brightness(1.08) }
.factors { list-style: none; margin: 0 0 .4rem; padding: 0; border: 1px solid var(--line); border-radius: .6rem }
.factors li { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: .3rem 1rem; padding: .65rem clamp(.6rem, 3vw, .9rem); border-top: 1px solid var(--line) }
.factors li:first-child { border-top: 0 }
.qr { display: block; width: 13rem; max-width: 100%; height: auto; margin: .4rem auto .8rem; border-radius: .5rem; border: 1px solid var(--line) }
input.code { font-variant-numeric: tabular-nums; letter-spacing: .12em }
.or { text-align: center; margin: 1.2rem 0 0 }
.help { margin: 1.6rem 0 0 }
button.plain {
  min-height: 2.75rem; padding: .25rem .3rem; border-color: transparent; background: none; font-weight: 500;
  text-decoration: underline; text-underline-offset: .15em;
}
.pair { display: flex; flex-wrap: wrap; gap: .75rem; margin-top: 1.4rem }
.pair button { flex: 1 1 9rem }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: .3rem }
.choice:has(:focus-visible) { outline: 3px solid var(--accent); outline-offset: 2px }
.choice input:focus-visible { outline: none }
.mistakes, .notice { border-left: .25rem solid var(--wrong); background: var(--wrong-tint); padding: .8rem 1rem; margin: 0 0 1.2rem; border-radius: .3rem }
.mistakes h2 { margin: 0 0 .25rem }
.mistakes ul { margin: 0; padding: 0; list-style: none }
.mistakes a { color: var(--wrong); font-weight: 600 }
.notice { border-color: var(--accent); background: var(--tint) }
.notice p:last-child { margin: 0 }
fieldset + .notice { margin-top: 1.1rem }
fieldset + p, .notice + p { margin-top: 1.2rem }
.mark, .practice { display: inline-block; font-size: .75rem; line-height: 1.5; font-weight: 650; padding: .05rem .5rem; border-radius: 1rem; border: 1px solid var(--edge); color: var(--soft); white-space: nowrap; vertical-align: .08em }
.mark { background: var(--live); border-color: var(--live); color: var(--on-live) }
.live .choice:has(:checked:not([value=""])) { border-color: var(--live); background: var(--live-tint) }
.live .choice input:not([value=""]) { accent-color: var(--live) }
.notice.live { border-color: var(--live); background: var(--live-tint) }
@supports selector(:has(a)) { .notice.live { display: none } form:has(.live :checked:not([value=""])) .notice.live { display: block } }
.by { margin-bottom: .35rem }
main > p:last-child { margin-bottom: 0 }
.back { margin: 1.4rem 0 0 }
.why { color: var(--wrong); font-size: .9375rem; font-weight: 600; margin: .35rem 0 0 }
.foot { padding: .5rem .25rem 0; color: var(--soft); font-size: .9375rem }
.foot form { display: flex; flex-wrap: wrap; align-items: center; gap: 0 .4rem }
.apps { list-style: none; margin: 1.2rem 0 0; padding: 0 }
.apps > li { border-top: 1px solid var(--line); padding: 1.2rem 0 1.3rem }
.apps > li:last-child { padding-bottom: 0 }
.apps h2 { margin: 0 0 .1rem; font-size: 1.125rem }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1.1rem; margin: .7rem 0 .9rem; font-size: .9375rem }
dt { color: var(--soft) }
dd { margin: 0; min-width: 0 }
dd ul { margin: 0; padding: 0; list-style: none }
table { border-collapse: collapse; width: 100%; font-size: .9375rem }
th, td { text-align: left; padding: .45rem 1rem .45rem 0; border-bottom: 1px solid var(--line); font-weight: 400 }
th { color: var(--soft); font-size: .8125rem }
td.cash, th.cash { text-align: right; padding-right: 0; font-variant-numeric: tabular-nums }
.mine td { white-space: nowrap }
code { font: .875em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace }
.knotting { display: block; width: 100%; height: auto; margin: 0 0 1.3rem; fill: none; stroke: var(--line); stroke-width: 2.5; stroke-linecap: round }
.knotting circle { fill: var(--line); stroke: none; animation: knot 2s ease-in-out infinite }
.knotting circle:nth-of-type(2) { animation-delay: .2s }
.knotting circle:nth-of-type(3) { animation-delay: .4s }
.knotting circle:nth-of-type(4) { animation-delay: .6s }
.knotting circle:nth-of-type(5) { animation-delay: .8s }
.knotting circle:nth-of-type(6) { animation-delay: 1s }
@keyframes knot { 0%, 50%, 100% { fill: var(--line) } 20% { fill: var(--accent) } }
@media (prefers-reduced-motion: reduce) { .knotting circle { fill: var(--accent); animation: none } }
details { margin-top: 1.2rem; color: var(--soft); font-size: .875rem }
summary { cursor: pointer; padding: .5rem 0; min-height: 2.75rem }
details dl { font-size: inherit }
@media (max-width: 30rem) {
  body { padding: 1rem .75rem 2rem }
  main { padding-top: 1.4rem; padding-bottom: 1.5rem; border-radius: .8rem }
  h1 { font-size: 1.35rem }
  dl { grid-template-columns: 1fr; gap: 0 }
  dd { margin-bottom: .5rem }
  .choice .what { flex-direction: column }
}
@media (max-width: 16rem) {
  thead { display: none }
  td, td.cash { display: block; text-align: left; border: 0; padding: 0 }
  tr { display: block; border-bottom: 1px solid var(--line); padding: .5rem 0 }
}
@media (forced-colors: active) { .choice:has(:checked) { outline: 2px solid Highlight } }
@media print { .foot, button { display: none } }
`

/** The CSP source of this style sheet; no other may run. */
export const styleSource = `'sha256-${hash('sha256', style, 'base64')}'`

/** Markup, as opposed to text that has to be escaped. */
export class RunMarkup {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Part = string | number | RunMarkup | readonly RunMarkup[] | false | undefined

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function markupOf(part: Part): string {
  if (part === false || part === undefined) return ''
  if (part instanceof RunMarkup) return part.text
  if (Array.isArray(part)) return part.map((one: RunMarkup) => one.text).join('')
  return String(part).replace(/[&<>"']/g, (character) => escapes[character] ?? '')
}

/** Markup from a template. Its texts are escaped. */
export const markup = (strings: TemplateStringsArray, ...parts: readonly Part[]): RunMarkup =>
  new RunMarkup(strings.map((text, index) => text + markupOf(parts[index])).join(''))

export const signedAmount = (amount: number, places = 2): string =>
  `${amount < 0 ? '−' : '+'}${grouped(Math.abs(amount), places)}`

export const grouped = (amount: number, places = 2): string =>
  amount.toLocaleString('en-US', { minimumFractionDigits: places, maximumFractionDigits: places })

export const percentText = (fraction: number): string =>
  // Nothing has no sign.
  `${(fraction * 100)
    .toFixed(2)
    .replace(/^-(?=0\.00$)/, '')
    .replace('-', '−')} %`

/** `2026-01-05 15:00:00`, in UTC. */
export const secondText = (at: string): string => at.slice(0, 19).replace('T', ' ')

export const pageStyle = new RunMarkup(`
:root { color-scheme: light dark; --ground: #f5f4ef; --card: #fff; --ink: #1c1b19; --soft: #5f5d57; --line: #dedbd2;
  --accent: #14585c; --edge: #7d796e; --up: #0b6b53; --down: #b3381b; --wrong: #a11f12; --warn: #7a5200 }
@media (prefers-color-scheme: dark) { :root { --ground: #171613; --card: #1f1e1a; --ink: #eceae3; --soft: #aaa69b; --line: #37352e;
  --accent: #6fc2c4; --edge: #98948a; --up: #4fc7a2; --down: #f08a6b; --wrong: #ff9a88; --warn: #e0b458 } }
* { box-sizing: border-box }
body { margin: 0; padding: 1.5rem 1rem; background: var(--ground); color: var(--ink); font: 14px/1.5 Inter, system-ui, sans-serif }
main { max-width: 72rem; margin: 0 auto } h1 { font-size: 1.5rem; margin: 0 } h2 { font-size: 1rem; margin: 0 0 .6rem }
section { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 1rem; margin-top: 1rem; overflow-x: auto }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums }
td, th { text-align: left; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid var(--line); vertical-align: top }
th { color: var(--soft); font-weight: 500 } .number { text-align: right; white-space: nowrap } td.time { white-space: nowrap }
.soft { color: var(--soft) } .up { color: var(--up) } .down { color: var(--down) } .failed { color: var(--wrong) } .passed { color: var(--accent) }
.warning { color: var(--warn) } .verdict { font-weight: 600; font-size: 1.1rem }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: .75rem; margin: 0 } dt { color: var(--soft) }
dd { margin: 0; font-size: 1.1rem; font-weight: 600; font-variant-numeric: tabular-nums }
svg { display: block; width: 100%; overflow: visible } polyline { fill: none; stroke-width: 1.5; vector-effect: non-scaling-stroke }
.run { stroke: var(--accent) } .hold { stroke: var(--edge) } .spy { stroke: var(--edge); stroke-dasharray: 2 3 } .fall { stroke: var(--down) }
.scale { margin: 0; font-size: .8rem } .times { display: flex; justify-content: space-between }
.legend { display: flex; flex-wrap: wrap; gap: 0 1.25rem; margin: 0 0 .5rem; font-size: .85rem }
.legend span::before { content: ''; display: inline-block; width: 1.25rem; margin-right: .4rem; vertical-align: middle; border-top: 2px solid var(--accent) }
.legend .hold::before { border-color: var(--edge) } .legend .spy::before { border-top: 2px dashed var(--edge) }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(24rem, 100%), 1fr)); gap: 0 1rem; align-items: start } .figures td.soft { white-space: nowrap } .months td, .months th { padding-right: .5rem } .months { font-size: .85rem }
.facts { display: block } .facts div { margin-top: .5rem } .facts dd { font-size: .9rem; font-weight: 400; overflow-wrap: anywhere } code { overflow-wrap: anywhere }
.log { font: 12px/1.6 ui-monospace, monospace } .log td { border: 0; padding: 0 .75rem 0 0; overflow-wrap: anywhere }
.advice { border-left: 3px solid var(--wrong); padding-left: .75rem; margin: .25rem 0 }`)

import { Html, html } from '@quipu/server/pages/html.ts'
import { style } from '@quipu/server/pages/style.ts'
import type { RunSummary } from './measure.ts'
import type { EquityPoint } from './statistics.ts'

const [WIDTH, HEIGHT] = [640, 220]
const FILLS_MAX = 5000

const percent = (fraction: number): string => `${(fraction * 100).toFixed(2)}%`
const second = (at: string): string => at.slice(0, 19).replace('T', ' ')
const dollars = (amount: number): string =>
  amount.toLocaleString('en-US', { style: 'currency', currency: 'USD' })

/** A page for a browser, without scripts and without other files. */
export function reportPage(summary: RunSummary): string {
  const { world, started_at: from, ended_at: to, fills, refusals, unfilled } = summary
  return `<!doctype html>\n${
    html`<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>quipu run: ${world}</title><style>${styleSheet}</style></head><body><main class="wide">
<h1>Run in the world ${world}</h1>
<p class="soft">${second(from)} to ${second(to)} UTC, exit code ${summary.exit_code}</p>
${figures(summary)}
<h2>Equity</h2>
${chart(summary.equity)}
<h2>Trades</h2>
${fills.length === 0 ? html`<p>No fills.</p>` : fillsTable(summary)}
${unfilled.length > 0 && html`<h2>Unfilled orders</h2>`}
${unfilled.map(({ summary: text, counterfactual }) => html`<p>${text}${counterfactual.map((sentence) => html`<br><span class="soft">${sentence}</span>`)}</p>`)}
${refusals.length > 0 && html`<h2>Refused requests</h2>`}
${refusals.map(({ method, path, status, message, count }) => html`<p>${method} ${path}: ${status} ${message} (${count})</p>`)}
</main></body></html>`.markup
  }\n`
}

const styleSheet = new Html(`${style}
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums }
td, th { text-align: left; padding: .2rem .6rem .2rem 0; border-bottom: 1px solid var(--line); overflow-wrap: normal }
.trades { overflow-x: auto } .trades td { white-space: nowrap } .trades .number { text-align: right }
svg.chart { width: 100%; height: 14rem; display: block }
svg.chart polyline { fill: none; stroke: var(--accent); stroke-width: 1.5; vector-effect: non-scaling-stroke }
.scale { margin: 0; font-size: .8rem }`)

function figures(summary: RunSummary): Html {
  const { orders, sharpe, fills } = summary
  const placed = Object.entries(orders).map(([status, count]) => `${count} ${status}`)
  const rows: readonly (readonly [string, string])[] = [
    ['Profit and loss', dollars(summary.profit_loss)],
    ['Equity', `${dollars(summary.equity_at_start)} to ${dollars(summary.equity_at_end)}`],
    ['Largest drawdown', percent(summary.max_drawdown)],
    ['Sharpe ratio', sharpe === null ? 'needs at least 20 daily returns' : sharpe.toFixed(2)],
    ['Orders', placed.join(', ') || 'none'],
    ['Fills', String(fills.length)],
    ['Requests', String(summary.requests)],
  ]
  return html`<table>${rows.map(([name, value]) => html`<tr><th scope="row">${name}</th><td>${value}</td></tr>`)}</table>`
}

/** The equity over time, as a line. */
function chart(points: readonly EquityPoint[]): Html {
  const times = points.map(({ at }) => Date.parse(at))
  const equities = points.map(({ equity }) => equity)
  const [from, to] = [times[0]!, times.at(-1)!]
  const low = equities.reduce((least, one) => Math.min(least, one))
  const high = equities.reduce((most, one) => Math.max(most, one))
  const x = (time: number): number => (to === from ? 0 : ((time - from) / (to - from)) * WIDTH)
  const y = (equity: number): number =>
    high === low ? HEIGHT / 2 : (1 - (equity - low) / (high - low)) * HEIGHT
  const line = points.map(({ equity }, index) => `${x(times[index]!).toFixed(1)},${y(equity).toFixed(1)}`)
  const label = `Equity from ${dollars(equities[0]!)} to ${dollars(equities.at(-1)!)}`
  return html`<p class="scale soft">${dollars(high)}</p>
<svg class="chart" role="img" aria-label="${label}" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none"><polyline points="${line.join(' ')}"/></svg>
<p class="scale soft">${dollars(low)}</p>`
}

function fillsTable({ fills }: RunSummary): Html {
  const rows = fills
    .slice(0, FILLS_MAX)
    .map(
      ({ at, side, qty, symbol, price }) =>
        html`<tr><td>${second(at)}</td><td>${side}</td><td class="number">${qty}</td><td>${symbol}</td><td class="number">${price}</td></tr>`,
    )
  const omitted =
    fills.length > FILLS_MAX &&
    html`<p class="soft">The first ${FILLS_MAX} of ${fills.length}; --summary has all.</p>`
  return html`<div class="trades"><table><tr><th>Time (UTC)</th><th>Side</th><th class="number">Quantity</th><th>Symbol</th><th class="number">Price</th></tr>${rows}</table></div>${omitted}`
}

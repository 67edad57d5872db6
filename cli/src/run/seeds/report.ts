import { type Distribution, histogramOf, zeroSentence } from '@quipu/sdk/runs'
import { Html, html } from '@quipu/server/pages/html.ts'
import { style } from '@quipu/server/pages/style.ts'
import type { SeedFigures, SeedsSummary } from './distribution.ts'

const dollars = (amount: number): string => `${amount < 0 ? '-' : '+'}${Math.abs(amount).toFixed(2)}`
const percent = (fraction: number): string => `${(fraction * 100).toFixed(2)}%`

/** The summary for a reader, in lines. */
export function seedsLines(summary: SeedsSummary): readonly string[] {
  const { seeds, failed, profitable, violations, worst } = summary
  return [
    `quipu run: ${seeds} seeds, ${profitable} with a profit, ${failed.length} failed`,
    ...figureLines(summary),
    ...Object.entries(violations)
      .sort(([, a], [, b]) => b - a)
      .map(([reason, count]) => `  violated  ${reason} (${count} times)`),
    ...(failed.length > 0 ? [`  failed    seeds ${failed.join(', ')}`] : []),
    worstLine(worst.seed, worst.profit_loss, worst.command),
  ]
}

/** The distribution of the results, in lines. */
export function figureLines(figures: SeedFigures): readonly string[] {
  const { profit_loss: profit, max_drawdown: fall } = figures
  const line = (name: string, of: Distribution, text: (value: number) => string): string =>
    `  ${name.padEnd(9)} median ${text(of.median)}, 5% ${text(of.p5)}, 95% ${text(of.p95)}, worst ${text(name === 'P/L' ? of.min : of.max)}, best ${text(name === 'P/L' ? of.max : of.min)}`
  return [line('P/L', profit, dollars), `  mean      ${meanText(figures)}`, line('fall', fall, percent)]
}

export const worstLine = (seed: string, profit: number, command: string | undefined): string =>
  `  worst     seed ${seed} with ${dollars(profit)}${command === undefined ? '' : `: ${command}`}`

function meanText({
  seeds,
  profit_loss: { mean },
  mean_between: { low, high },
  ...summary
}: SeedFigures): string {
  const verdict = summary.is_different_from_zero
    ? `different from zero`
    : `not different from zero${seeds < 10 ? '; run at least 10 seeds' : ''}`
  return `${dollars(mean)}, 95% interval ${dollars(low)} to ${dollars(high)}: ${verdict}`
}

const [WIDTH, HEIGHT] = [640, 160]

/** A page for a browser, without scripts and without other files. */
export function seedsPage(summary: SeedsSummary): string {
  const { seeds, failed, profitable, profit_loss: profit, max_drawdown: fall, violations, worst } = summary
  const rows: readonly (readonly [string, string])[] = [
    ['Seeds', String(seeds)],
    ['With a profit', String(profitable)],
    ['Mean', meanText(summary)],
    ['Failed', failed.length === 0 ? 'none' : failed.join(', ')],
    ['Worst', `seed ${worst.seed}, ${dollars(worst.profit_loss)}: ${worst.command}`],
  ]
  const byProfit = summary.runs.toSorted((a, b) => a.profit_loss - b.profit_loss)
  return `<!doctype html>\n${
    html`<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>quipu run: ${seeds} seeds</title><style>${styleSheet}</style></head><body><main class="wide">
<h1>The same program in ${seeds} markets</h1>
<p>${zeroSentence({ seeds, isDifferentFromZero: summary.is_different_from_zero })}</p>
<table>${rows.map(([name, value]) => html`<tr><th scope="row">${name}</th><td>${value}</td></tr>`)}</table>
<h2>Profit and loss</h2>
${histogram(summary.runs.map(({ profit_loss: one }) => one))}
${percentiles([
  ['Profit and loss', profit, dollars],
  ['Largest drawdown', fall, percent],
])}
<h2>Rule violations</h2>
${Object.keys(violations).length === 0 ? html`<p>None.</p>` : html`<table>${Object.entries(violations).map(([reason, count]) => html`<tr><th scope="row">${reason}</th><td>${count}</td></tr>`)}</table>`}
<h2>Runs</h2>
<table><tr><th>Seed</th><th>Profit and loss</th><th>Drawdown</th><th>Orders</th><th>Fills</th><th>Violations</th><th>Exit code</th></tr>
${byProfit.map((run) => html`<tr><td>${run.seed}</td><td>${dollars(run.profit_loss)}</td><td>${percent(run.max_drawdown)}</td><td>${run.orders}</td><td>${run.fills}</td><td>${Object.values(run.violations).reduce((sum, count) => sum + count, 0)}</td><td>${run.exit_code}</td></tr>`)}
</table></main></body></html>`.markup
  }\n`
}

const styleSheet = new Html(`${style}
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums }
td, th { text-align: left; padding: .2rem .6rem .2rem 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere }
svg.chart { width: 100%; height: 10rem; display: block } svg.chart rect { fill: var(--accent) }
.scale { display: flex; justify-content: space-between; margin: 0; font-size: .8rem }`)

type Figure = readonly [name: string, of: Distribution, text: (value: number) => string]

function percentiles(figures: readonly Figure[]): Html {
  const columns = ['min', 'p5', 'p25', 'median', 'p75', 'p95', 'max', 'mean'] as const
  return html`<table><tr><th></th>${columns.map((column) => html`<th>${column}</th>`)}</tr>${figures.map(
    ([name, of, text]) =>
      html`<tr><th scope="row">${name}</th>${columns.map((column) => html`<td>${text(of[column])}</td>`)}</tr>`,
  )}</table>`
}

/** How many runs ended with which profit. */
function histogram(profits: readonly number[]): Html {
  const { low, high, counts } = histogramOf(profits)
  const most = Math.max(...counts)
  const width = WIDTH / counts.length
  const bars = counts.map((count, index) => {
    const height = (count / most) * HEIGHT
    return html`<rect x="${(index * width).toFixed(1)}" y="${(HEIGHT - height).toFixed(1)}" width="${(width - 2).toFixed(1)}" height="${height.toFixed(1)}"/>`
  })
  return html`<svg class="chart" role="img" aria-label="Profit and loss from ${dollars(low)} to ${dollars(high)}" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none">${bars}</svg>
<p class="scale soft"><span>${dollars(low)}</span><span>${dollars(high)}</span></p>`
}

import { drawdownOf, holdOf, verdictWord } from './figures.ts'
import {
  grouped,
  markup,
  pageStyle,
  percentText,
  type RunMarkup,
  secondText,
  signedAmount,
} from './page-markup.ts'
import type { Run, RunDrill, RunFile, RunOutput, RunParts, RunRequest, RunUnfilled } from './run-file.ts'
import { type RunTrade, tradesOf } from './trades.ts'

const [WIDTH, EQUITY_HEIGHT, FALL_HEIGHT] = [1000, 240, 100]
const ROWS_MAX = 5000

/** One page about a run, without scripts and without other files. */
export function runPage({ run, parts }: RunFile): string {
  const command = run.command.join(' ')
  const page = markup`<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"><meta name="viewport" content="width=device-width">
<title>quipu run: ${run.program}: ${verdictWord(run)}</title><style>${pageStyle}</style></head><body><main>
<h1>${run.program}</h1>
<p class="verdict ${run.verdict}">${verdictWord(run)}${run.reason !== '' && `: ${run.reason}`}</p>
<p class="soft">${factsOf(run)}<br><code>${command}</code></p>
<section><h2>Result</h2>${figures(run)}</section>
${run.kind !== 'drill' && equitySection(run, parts)}
${parts.drill.length > 0 && markup`<section><h2>Drills</h2><table>${parts.drill.map(drillRow)}</table></section>`}
${tradesSection(tradesOf(parts.fill, parts.price))}
${parts.unfilled.length > 0 && markup`<section><h2>Unfilled orders</h2>${parts.unfilled.map(unfilledText)}</section>`}
${logSection(parts)}
</main></body></html>`
  return `<!doctype html>\n${page.text}\n`
}

function factsOf({ scenario, seed, hours, from, to, revision, version, started_at: started, took_ms }: Run) {
  const facts = [
    ...(scenario === undefined ? [] : [`scenario ${scenario}`]),
    `seed ${seed}`,
    hours === 'nyse' ? 'exchange hours' : 'always open',
    `${secondText(from)} to ${secondText(to)} UTC`,
    ...(revision === undefined ? [] : [`commit ${revision}`]),
    `ran ${secondText(started)} UTC for ${(took_ms / 1000).toFixed(1)} s`,
    `Quipu ${version}`,
  ]
  return facts.join(' · ')
}

function figures(run: Run): RunMarkup {
  const { sharpe, buy_and_hold: hold, symbol } = run
  const rows: readonly (readonly [string, string, string?])[] = [
    ['Profit and loss', signedAmount(run.profit_loss), colorOf(run.profit_loss)],
    ...(hold === undefined ? [] : [[`Buy and hold ${symbol}`, signedAmount(hold), colorOf(hold)] as const]),
    ['Equity at the start', grouped(run.equity_at_start)],
    ['Sharpe ratio', sharpe === undefined ? '–' : sharpe.toFixed(2).replace('-', '−')],
    ['Largest drawdown', percentText(-run.max_drawdown)],
    ['Orders, fills', `${run.orders}, ${run.fills}`],
    ['Requests, refused', `${run.requests}, ${run.refused}`],
    ['Faults met', `${run.faults_met} of ${run.faults_planned}`],
    ['Exit code', String(run.exit_code)],
  ]
  return markup`<dl>${rows.map(([name, value, color = '']) => markup`<div><dt>${name}</dt><dd class="${color}">${value}</dd></div>`)}</dl>`
}

const colorOf = (amount: number): string => (amount > 0 ? 'up' : amount < 0 ? 'down' : '')

type Points = readonly { readonly at: string; readonly value: number }[]

function equitySection({ symbol }: Run, { equity }: RunParts): RunMarkup | false {
  if (equity.length === 0) return false
  const own = equity.map(({ at, equity: value }) => ({ at, value }))
  const hold = holdOf(equity).map(({ at, equity: value }) => ({ at, value }))
  const falls = drawdownOf(equity).map(({ at, fall }) => ({ at, value: fall }))
  const holdFalls = drawdownOf(holdOf(equity)).map(({ at, fall }) => ({ at, value: fall }))
  const legend = hold.length > 0 ? `The grey line is buy and hold of ${symbol}.` : ''
  const lines = (run: string, points: Points, held: Points): readonly (readonly [string, Points])[] => [
    ['hold', held],
    [run, points],
  ]
  return markup`<section><h2>Equity</h2>${chart('Equity', lines('run', own, hold), EQUITY_HEIGHT, (value) => grouped(value))}
<p class="scale soft">${legend}</p></section>
<section><h2>Drawdown</h2>${chart('Drawdown', lines('fall', falls, holdFalls), FALL_HEIGHT, percentText)}</section>`
}

function chart(
  name: string,
  lines: readonly (readonly [string, Points])[],
  height: number,
  label: (value: number) => string,
): RunMarkup {
  const all = lines.flatMap(([, points]) => points)
  const times = all.map(({ at }) => Date.parse(at))
  const range = (values: readonly number[]): readonly [number, number] =>
    values.reduce<readonly [number, number]>(
      ([low, high], value) => [Math.min(low, value), Math.max(high, value)],
      [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
    )
  const [[from, to], [low, high]] = [range(times), range(all.map(({ value }) => value))]
  const x = (at: string): number => (to === from ? 0 : ((Date.parse(at) - from) / (to - from)) * WIDTH)
  const y = (value: number): number =>
    high === low ? height / 2 : (1 - (value - low) / (high - low)) * height
  const drawn = lines.map(([kind, points]) => {
    const text = points.map(({ at, value }) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`)
    return markup`<polyline class="${kind}" points="${text.join(' ')}"/>`
  })
  return markup`<p class="scale soft">${label(high)}</p>
<svg role="img" aria-label="${name} from ${label(low)} to ${label(high)}" viewBox="0 0 ${WIDTH} ${height}" height="${height}" preserveAspectRatio="none">${drawn}</svg>
<p class="scale soft">${label(low)}</p>`
}

const drillRow = ({ drill, about, result, reasons, evidence, advice }: RunDrill): RunMarkup =>
  markup`<tr><td class="${result}"><b>${result}</b></td><td><b>${drill}</b> <span class="soft">${about}</span><br>${evidence}${reasons.map((reason) => markup`<br><span class="${result}">${reason}</span>`)}${advice !== undefined && markup`<p class="advice">What to change: ${advice}</p>`}</td></tr>`

function tradesSection(trades: readonly RunTrade[]): RunMarkup {
  if (trades.length === 0) return markup`<section><h2>Trades</h2><p class="soft">No fills.</p></section>`
  const rows = trades
    .slice(0, ROWS_MAX)
    .map(
      ({ symbol, side, qty, openedAt, closedAt, entry, exit, profit }) =>
        markup`<tr><td class="time">${secondText(openedAt)}</td><td class="time">${closedAt === undefined ? 'open' : secondText(closedAt)}</td><td>${side}</td><td class="number">${String(qty)}</td><td>${symbol}</td><td class="number">${grouped(entry)}</td><td class="number">${exit === undefined ? '–' : grouped(exit)}</td><td class="number ${colorOf(profit ?? 0)}">${profit === undefined ? '–' : signedAmount(profit)}</td></tr>`,
    )
  return markup`<section><h2>Trades</h2><table><tr><th>Opened (UTC)</th><th>Closed (UTC)</th><th>Side</th><th class="number">Quantity</th><th>Symbol</th><th class="number">In</th><th class="number">Out</th><th class="number">P/L</th></tr>${rows}</table>${omitted(trades.length)}</section>`
}

const unfilledText = ({ summary, counterfactual }: RunUnfilled): RunMarkup =>
  markup`<p>${summary}${counterfactual.map((sentence) => markup`<br><span class="soft">${sentence}</span>`)}</p>`

/** Requests and output by time. */
export function runLog({ request, output }: Pick<RunParts, 'request' | 'output'>): readonly RunLogLine[] {
  const lines = [
    ...request.map((entry): RunLogLine => ({ kind: 'request', ...entry })),
    ...output.map((entry): RunLogLine => ({ kind: 'output', ...entry })),
  ]
  return lines.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
}

export type RunLogLine =
  | ({ readonly kind: 'request' } & RunRequest)
  | ({ readonly kind: 'output' } & RunOutput)

function logSection(parts: RunParts): RunMarkup | false {
  const lines = runLog(parts)
  if (lines.length === 0) return false
  return markup`<section><h2>Requests and output</h2><table class="log">${lines.slice(0, ROWS_MAX).map(logRow)}</table>${omitted(lines.length)}</section>`
}

function logRow(line: RunLogLine): RunMarkup {
  const at = line.at.slice(0, 23).replace('T', ' ')
  const drill = line.drill === undefined ? '' : `${line.drill}: `
  if (line.kind === 'output')
    return markup`<tr><td class="time soft">${at}</td><td>${drill}${line.text}</td><td class="soft">${line.stream}</td></tr>`
  const { method, path, status, fault } = line
  const isRefused = status === undefined || status >= 400
  return markup`<tr><td class="time soft">${at}</td><td>${drill}${method} ${path}</td><td class="${isRefused ? 'failed' : 'soft'}">${status ?? 'no response'}${fault !== undefined && ' fault'}</td></tr>`
}

const omitted = (count: number): RunMarkup | false =>
  count > ROWS_MAX && markup`<p class="soft">The first ${ROWS_MAX} of ${count}; the run file has all.</p>`

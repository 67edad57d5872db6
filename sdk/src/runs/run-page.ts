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
import { plainText } from './plain-text.ts'
import { durationText, provenanceSection, statisticsSection } from './run-figures-page.ts'
import type { Run, RunDrill, RunFile, RunOutput, RunParts, RunRequest, RunUnfilled } from './run-file.ts'
import { statisticsOf, worthOf } from './statistics.ts'
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
${run.kind !== 'drill' && statisticsSection(run, statisticsOf({ ...parts, fees: run.fees ?? 0 }))}
${parts.drill.length > 0 && markup`<section><h2>Drills</h2><table>${parts.drill.map(drillRow)}</table></section>`}
${tradesSection(tradesOf(parts.fill, parts.price))}
${parts.unfilled.length > 0 && markup`<section><h2>Unfilled orders</h2>${parts.unfilled.map(unfilledText)}</section>`}
${refusedSection(parts.request)}
${provenanceSection(run)}
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
  const { sharpe, buy_and_hold: hold } = run
  const rows: readonly (readonly [string, string, string?])[] = [
    ['Profit and loss', signedAmount(run.profit_loss), colorOf(run.profit_loss)],
    ...(hold === undefined
      ? []
      : [[`Buy and hold ${basketText(run)}`, signedAmount(hold), colorOf(hold)] as const]),
    ['Equity at the start', grouped(run.equity_at_start)],
    ['Sharpe ratio', sharpe === undefined ? '–' : sharpe.toFixed(2).replace('-', '−')],
    ['Largest drawdown', percentText(-run.max_drawdown)],
    ['Orders, fills', `${run.orders}, ${run.fills}`],
    ['Requests, refused', `${run.requests}, ${run.refused}`],
    ['Faults met', `${run.faults_met} of ${run.faults_planned}`],
    ...(run.fees === undefined ? [] : [['Fees', grouped(run.fees)] as const]),
    ['Exit code', String(run.exit_code)],
  ]
  return markup`<dl>${rows.map(([name, value, color = '']) => markup`<div><dt>${name}</dt><dd class="${color}">${value}</dd></div>`)}</dl>`
}

const colorOf = (amount: number): string => (amount > 0 ? 'up' : amount < 0 ? 'down' : '')

type Points = readonly { readonly at: string; readonly value: number }[]

/** The symbols that buy-and-hold holds. */
export const basketText = ({ symbols = [] }: Pick<Run, 'symbols'>): string =>
  symbols.length <= 3
    ? symbols.join(', ')
    : `${symbols.slice(0, 3).join(', ')} and ${symbols.length - 3} more`

function equitySection(run: Run, { equity }: RunParts): RunMarkup | false {
  if (equity.length === 0) return false
  const own = equity.map((point) => ({ at: point.at, value: worthOf(point) }))
  const valuesOf = (of: 'hold' | 'spy'): Points =>
    holdOf(equity, of).map(({ at, equity: value }) => ({ at, value }))
  const fallsOf = (points: Points): Points =>
    drawdownOf(points.map(({ at, value }) => ({ at, equity: value }))).map(({ at, fall }) => ({
      at,
      value: fall,
    }))
  const [hold, spy] = [valuesOf('hold'), valuesOf('spy')]
  const lines = [
    ['spy', spy],
    ['hold', hold],
    ['run', own],
  ] as const
  const falls = [
    ['spy', fallsOf(spy)],
    ['hold', fallsOf(hold)],
    ['fall', fallsOf(own)],
  ] as const
  const legend = markup`<p class="legend soft"><span class="run">${run.program}</span>${hold.length > 0 && markup`<span class="hold">buy and hold ${basketText(run)}, in equal parts</span>`}${spy.length > 0 && markup`<span class="spy">buy and hold SPY</span>`}</p>`
  return markup`<section><h2>Equity</h2>${legend}${chart('Equity', lines, EQUITY_HEIGHT, (value) => grouped(value))}${timeScale(equity)}</section>
<section><h2>Drawdown</h2>${chart('Drawdown', falls, FALL_HEIGHT, percentText)}${timeScale(equity)}</section>`
}

/** Four dates under a chart. */
function timeScale(equity: RunParts['equity']): RunMarkup {
  const [first, last] = [Date.parse(equity[0]?.at ?? ''), Date.parse(equity.at(-1)?.at ?? '')]
  const isLong = last - first > 3 * 86_400_000
  const dates = [0, 1, 2, 3].map((third) => {
    const at = new Date(first + ((last - first) * third) / 3).toISOString()
    return isLong ? at.slice(0, 10) : at.slice(5, 16).replace('T', ' ')
  })
  return markup`<p class="scale soft times">${dates.map((text) => markup`<span>${text}</span>`)}</p>`
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

const drillRow = ({ drill, about, result, reasons, evidence, advice, ...figures }: RunDrill): RunMarkup =>
  markup`<tr><td class="${result}"><b>${result}</b></td><td><b>${drill}</b> <span class="soft">${about}</span><br>${evidence}${figuresText(figures)}${reasons.map((reason) => markup`<br><span class="${result}">${reason}</span>`)}${advice !== undefined && markup`<p class="advice">What to change: ${advice}</p>`}</td></tr>`

const figuresText = ({ profit_loss: profit, requests, orders }: Partial<RunDrill>): RunMarkup | false =>
  profit !== undefined &&
  markup`<br><span class="${colorOf(profit)}">P/L ${signedAmount(profit)}</span>, requests ${String(requests)}, orders ${String(orders)}`

function tradesSection(trades: readonly RunTrade[]): RunMarkup {
  if (trades.length === 0) return markup`<section><h2>Trades</h2><p class="soft">No fills.</p></section>`
  const rows = trades
    .slice(0, ROWS_MAX)
    .map(
      ({ symbol, side, qty, openedAt, closedAt, entry, exit, profit, slippage }) =>
        markup`<tr><td class="time">${secondText(openedAt)}</td><td class="time">${closedAt === undefined ? 'open' : secondText(closedAt)}</td><td>${side}</td><td class="number">${String(qty)}</td><td>${symbol}</td><td class="number">${grouped(entry)}</td><td class="number">${exit === undefined ? '–' : grouped(exit)}</td><td class="number ${colorOf(profit ?? 0)}">${profit === undefined ? '–' : signedAmount(profit)}</td><td class="number">${closedAt === undefined ? '–' : durationText(Date.parse(closedAt) - Date.parse(openedAt))}</td><td class="number">${slippage === undefined ? '–' : signedAmount(-slippage)}</td></tr>`,
    )
  return markup`<section><h2>Trades</h2><table><tr><th>Opened (UTC)</th><th>Closed (UTC)</th><th>Side</th><th class="number">Quantity</th><th>Symbol</th><th class="number">In</th><th class="number">Out</th><th class="number">P/L</th><th class="number">Held</th><th class="number" title="Against the middle of the quotes">Slippage</th></tr>${rows}</table>${omitted(trades.length)}</section>`
}

const unfilledText = ({ summary, counterfactual }: RunUnfilled): RunMarkup =>
  markup`<p>${summary}${counterfactual.map((sentence) => markup`<br><span class="soft">${sentence}</span>`)}</p>`

/** Equal refusals are one line with their number. */
function refusedSection(requests: readonly RunRequest[]): RunMarkup | false {
  const counts = new Map<string, number>()
  for (const { method, path, status, answer } of requests)
    if (status !== undefined && status >= 400) {
      const line = `${method} ${path}: ${status} ${messageIn(answer)}`
      counts.set(line, (counts.get(line) ?? 0) + 1)
    }
  const lines = [...counts].slice(0, ROWS_MAX)
  return (
    lines.length > 0 &&
    markup`<section><h2>Refused requests</h2>${lines.map(([line, count]) => markup`<p>${line}${count > 1 && markup` <span class="soft">${count} times</span>`}</p>`)}</section>`
  )
}

const messageIn = (answer: unknown): string =>
  typeof answer === 'object' && answer !== null && 'message' in answer ? String(answer.message) : ''

/** Requests and output by time. */
export function runLog({ request, output }: Pick<RunParts, 'request' | 'output'>): readonly RunLogLine[] {
  const lines = [
    ...request.map((entry): RunLogLine => ({ kind: 'request', ...entry })),
    ...output.map((entry): RunLogLine => ({ kind: 'output', ...entry, text: plainText(entry.text) })),
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

import type { Estimate } from './bootstrap.ts'
import { grouped, markup, percentText, type RunMarkup, signedAmount } from './page-markup.ts'
import type { Run } from './run-file.ts'
import type { RunStatistics } from './statistics.ts'

/** The rows of a table of figures: name, value and, if it is an estimate, its interval. */
type Row = readonly [name: string, value: string, interval?: string]

/** A table of figures. */
export type FigureTable = { readonly title: string; readonly rows: readonly Row[]; readonly note?: string }

/** What the run returned, risked and paid. */
export function figureTables(run: Run, statistics: RunStatistics): readonly FigureTable[] {
  const { days, closed } = statistics
  const note =
    days < 20
      ? `Figures of days need 20 days; the run has ${days}.`
      : `${days} daily returns, annualized with 252 days, at an interest rate of zero. The interval has the true value in 95 of 100 cases (bootstrap).`
  return [
    { title: 'Return and risk', rows: returnRows(run, statistics), note },
    ...(closed > 0 ? [{ title: 'Closed trades', rows: tradeRows(statistics) }] : []),
    { title: 'Costs', rows: costRows(run, statistics) },
  ]
}

export function statisticsSection(run: Run, statistics: RunStatistics): RunMarkup {
  const [first, ...others] = figureTables(run, statistics).map(
    ({ title, rows, note }) =>
      markup`<section><h2>${title}</h2>${table(rows)}${note !== undefined && markup`<p class="soft">${note}</p>`}</section>`,
  )
  return markup`<div class="pair">${first}<div>${others}</div></div>
${statistics.months.length > 0 && monthsSection(statistics)}`
}

const table = (rows: readonly Row[]): RunMarkup =>
  markup`<table class="figures">${rows.map(
    ([name, value, interval = '']) =>
      markup`<tr><th scope="row">${name}</th><td class="number">${value}</td><td class="soft">${interval}</td></tr>`,
  )}</table>`

/** Shown where there is no value. */
const UNKNOWN = '–'

const ratio = (value: number): string =>
  Number.isFinite(value) ? value.toFixed(2).replace('-', '−') : value < 0 ? '−∞' : '∞'

const estimate = (name: string, of: Estimate | undefined, text: (value: number) => string): Row =>
  of === undefined ? [name, UNKNOWN] : [name, text(of.value), `${text(of.low)} to ${text(of.high)}`]

function returnRows(run: Run, { totalReturn, maxDrawdown, daily, exposure, turnover }: RunStatistics) {
  const held = (amount: number | undefined): string =>
    amount === undefined ? UNKNOWN : percentText(amount / run.equity_at_start)
  const rows: readonly Row[] = [
    ['Return', percentText(totalReturn)],
    ['Buy and hold of the traded symbols', held(run.buy_and_hold)],
    ['Buy and hold SPY', held(run.spy)],
    ['Largest drawdown', percentText(-maxDrawdown)],
    ...(daily
      ? [
          ['Return per year', percentText(daily.annualReturn)] as const,
          ['Volatility per year', percentText(daily.volatility)] as const,
          estimate('Sharpe ratio', daily.sharpe, ratio),
          estimate('Sortino ratio', daily.sortino, ratio),
          estimate('Calmar ratio', daily.calmar, ratio),
        ]
      : []),
    ...(exposure
      ? [
          ['Invested at the close', percentText(exposure.time), 'of the days'] as const,
          ['Mean exposure', percentText(exposure.mean)] as const,
        ]
      : []),
    ['Turnover', turnover.toFixed(2), '× the mean equity'],
  ]
  return rows
}

const amount = (of: number | undefined): string => (of === undefined ? UNKNOWN : signedAmount(of))

function tradeRows({ closed, trades }: RunStatistics): readonly Row[] {
  if (!trades) return []
  return [
    ['Won', `${trades.won} of ${closed}`],
    estimate('Win rate', trades.winRate, percentText),
    estimate('Profit factor', trades.profitFactor, ratio),
    ['Mean gain', amount(trades.meanWin)],
    ['Mean loss', amount(trades.meanLoss)],
    ['Mean holding time', durationText(trades.meanHoldingMs)],
  ]
}

function costRows(run: Run, { costs }: RunStatistics): readonly Row[] {
  const { spread, impact, fees, slippage, unknown } = costs
  const row = (name: string, amount: number): Row => {
    const cents = Math.round(amount * 100) / 100
    const share = run.equity_at_start > 0 ? `${percentText(cents / run.equity_at_start)} of the equity` : ''
    return [name, `${cents < 0 ? '−' : ''}${grouped(Math.abs(cents))}`, share]
  }
  return [
    row('Half of the spread', spread),
    row('Impact, beyond the quote', impact),
    row('Fees', fees),
    ['Slippage against the middle', `${ratio(slippage * 10_000)} bp`, 'of the value traded'],
    ...(unknown > 0 ? [['Fills without a quote', String(unknown), 'not in these costs'] as const] : []),
  ]
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

function monthsSection({ months: values }: RunStatistics): RunMarkup {
  const years = Map.groupBy(values, ({ month }) => month.slice(0, 4))
  const rows = [...years].map(([year, of]) => {
    const byMonth = new Map(of.map(({ month, value }) => [Number(month.slice(5)), value]))
    const whole = of.reduce((growth, { value }) => growth * (1 + value), 1) - 1
    return markup`<tr><th scope="row">${year}</th>${months.map((_, index) => monthCell(byMonth.get(index + 1)))}${monthCell(whole)}</tr>`
  })
  return markup`<section><h2>Returns by month</h2><table class="months"><tr><th></th>${months.map((name) => markup`<th class="number">${name}</th>`)}<th class="number">Year</th></tr>${rows}</table></section>`
}

const monthCell = (value: number | undefined): RunMarkup =>
  value === undefined
    ? markup`<td></td>`
    : markup`<td class="number ${value > 0 ? 'up' : value < 0 ? 'down' : ''}">${(value * 100).toFixed(2).replace('-', '−')}</td>`

/** `3 d 4 h`, in the two largest units. */
export function durationText(ms: number): string {
  const minutes = Math.round(ms / 60_000)
  const [days, hours] = [Math.floor(minutes / 1440), Math.floor((minutes % 1440) / 60)]
  if (days > 0) return `${days} d ${hours} h`
  return hours > 0
    ? `${hours} h ${minutes % 60} min`
    : ms < 60_000
      ? `${Math.round(ms / 1000)} s`
      : `${minutes} min`
}

/** Where the figures come from, and how to get them again. */
export function provenanceRows({
  repeat,
  settings,
  version,
  fills_hash: fills,
  ...run
}: Run): readonly (readonly [name: string, value: string])[] {
  return [
    ...(repeat === undefined ? [] : [['Repeat', repeat] as const]),
    ['Quipu', version],
    ...(settings && settings.length > 0 ? [['Settings', settings.join(' · ')] as const] : []),
    ...(run.journal_hash === undefined
      ? []
      : [['Journal', `${run.journal_events} events, SHA-256 ${run.journal_hash}`] as const]),
    ...(fills === undefined ? [] : [['Fills', `SHA-256 ${fills}; equal runs have the same`] as const]),
  ]
}

export const provenanceSection = (run: Run): RunMarkup =>
  markup`<section><h2>Provenance</h2><dl class="facts">${provenanceRows(run).map(([name, value]) => markup`<div><dt>${name}</dt><dd>${name === 'Repeat' ? markup`<code>${value}</code>` : value}</dd></div>`)}</dl></section>`

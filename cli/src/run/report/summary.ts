import { newYorkDateText } from '../new-york-date-text.ts'
import type { RunSummary } from './measure.ts'

const dollars = (amount: number): string => amount.toFixed(2)
const signed = (amount: number): string => `${amount < 0 ? '-' : '+'}${Math.abs(amount).toFixed(2)}`
const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/** The summary for a reader, in lines. */
export function summaryLines(summary: RunSummary): readonly string[] {
  const { requests, fills, orders, equity_at_start: start, equity_at_end: end } = summary
  const placed = Object.values(orders).reduce((sum, count) => sum + count, 0)
  const statuses = Object.entries(orders).map(([status, count]) => `${count} ${status}`)
  const percent = start === 0 ? 0 : (summary.profit_loss / start) * 100
  return [
    `quipu run: ${counted(requests, 'request')}, ${counted(placed, 'order')}${placed > 0 ? ` (${statuses.join(', ')})` : ''}, ${counted(fills.length, 'fill')}${sleptText(summary)}`,
    `  P/L       ${signed(summary.profit_loss)} (${signed(percent)}%); equity ${dollars(start)} to ${dollars(end)}, largest fall ${(summary.max_drawdown * 100).toFixed(2)}%`,
    ...replayLines(summary),
    ...(summary.has_new_account ? [`  account   ${summary.account_id}, opened for this run`] : []),
    ...(summary.keys_replaced
      ? ['  key       a key of the program that the broker does not know acts for the account of the run']
      : []),
    ...(summary.requests_of_others > 0
      ? [
          `  others    ${counted(summary.requests_of_others, 'request')} on connections that do not belong to the run, with the keys that they had`,
        ]
      : []),
    ...symbolLines(summary),
    ...summary.refusals.map(
      ({ method, path, status, message, count }) =>
        `  refused   ${method} ${path}: ${status} ${message}${count > 1 ? ` (${count} times)` : ''}`,
    ),
    ...summary.unfilled.flatMap(({ summary: text, counterfactual }) => [
      `  unfilled  ${text}`,
      ...counterfactual.map((sentence) => `            ${sentence}`),
    ]),
  ]
}

const NAMED_MAX = 20

function symbolLines({ symbols: { listed, unknown, limit_reached: isFull } }: RunSummary): readonly string[] {
  const line = (what: string, named: readonly string[]): readonly string[] =>
    named.length === 0 ? [] : [`  symbols   ${what}: ${namesIn(named)}`]
  return [
    ...line('listed on first use', listed),
    ...line('unknown', unknown),
    ...(isFull ? ['            the world lists no more symbols on first use'] : []),
  ]
}

const namesIn = (names: readonly string[]): string =>
  names.length <= NAMED_MAX
    ? names.join(', ')
    : `${names.slice(0, NAMED_MAX).join(', ')} and ${names.length - NAMED_MAX} more`

/** A program that sleeps by the clock of the machine misses what happens in the world meanwhile. */
function sleptText({ replay }: RunSummary): string {
  if (!replay || replay.slept_steps === 0) return ''
  return `; it slept through ${replay.slept_steps} of ${counted(replay.steps, 'step')}`
}

/** A replay to the end of a day ends at midnight: that is not a day more. */
const lastDay = (from: string, to: string): string =>
  newYorkDateText(new Date(Math.max(Date.parse(from), Date.parse(to) - 1)).toISOString())

function replayLines({ replay, started_at: from, ended_at: to }: RunSummary): readonly string[] {
  if (!replay) return []
  const { mode, finished, steps, waits, elapsed_ms: ms, client_ms: clientMs } = replay
  const share = ms === 0 ? 0 : Math.round((clientMs / ms) * 100)
  const span = `${newYorkDateText(from)} to ${lastDay(from, to)}`
  return [
    `  replay    ${span}, ${counted(steps, 'step')}, ${counted(waits, 'wait')} in ${(ms / 1000).toFixed(1)} s, ${share}% of it in the program (${mode.replace('_', ' ')})`,
    ...replay.inexact.map((reason) => `            not exact: ${reason}`),
    ...(finished ? [] : ['            the program ended before the end of the replay']),
  ]
}

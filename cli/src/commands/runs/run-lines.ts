import { definedFields } from '@quipu/core/values'
import { groupOf, type RunFile, seedStatistics, tradesOf, verdictWord, zeroSentence } from '@quipu/sdk/runs'
import { figuresOf } from '../../run/seeds/distribution.ts'
import { figureLines, worstLine } from '../../run/seeds/report.ts'
import { type Column, columns, indented, recordLines, tableLines, utc } from '../output.ts'
import type { ListedRun } from './listed-run.ts'

/** A row of the list: one run, or all seeds of a command. */
export type RunRow = { readonly run: ListedRun; readonly seeds: readonly ListedRun[] }

const signed = (amount: number): string => `${amount < 0 ? '-' : '+'}${Math.abs(amount).toFixed(2)}`
const percent = (fraction: number): string => `${(fraction * 100).toFixed(2)}%`
export const sharpeText = (sharpe: number | undefined): string => sharpe?.toFixed(2) ?? '-'
const day = (at: string): string => at.slice(0, 10)

/** One row per command: the seeds of one fold into one. */
export function runRowsOf(runs: readonly ListedRun[]): readonly RunRow[] {
  const groups = Map.groupBy(runs, ({ group, id }) => group ?? id)
  return [...groups.values()].map((seeds) => ({ run: seeds[0]!, seeds }))
}

const SHORT = 8
const nameOf = ({ number, id }: ListedRun): string =>
  number === undefined ? id.slice(0, SHORT) : String(number)

const isGroup = ({ seeds }: RunRow): boolean => seeds.length > 1

export const runTable: readonly Column<RunRow>[] = [
  ['RUN', (row) => (isGroup(row) ? (row.run.group ?? '').slice(0, SHORT) : nameOf(row.run))],
  [
    'VERDICT',
    (row) =>
      isGroup(row) ? `${groupOf(row.seeds).passed} of ${row.seeds.length} passed` : verdictWord(row.run),
  ],
  ['PROGRAM', ({ run }) => run.program, 20],
  ['P/L', (row) => signed(groupOf(row.seeds).profitLoss), 'right'],
  ['SHARPE', (row) => sharpeText(groupOf(row.seeds).sharpe), 'right'],
  ['DRAWDOWN', (row) => percent(groupOf(row.seeds).maxDrawdown), 'right'],
  ['FAULTS', ({ run }) => `${run.faults_met}/${run.faults_planned}`, 'right'],
  ['SCENARIO', ({ run }) => run.scenario ?? '', 14],
  ['PERIOD', ({ run }) => periodOf(run)],
  ['SEED', (row) => (isGroup(row) ? `${row.seeds.length} seeds` : row.run.seed)],
  ['STARTED (UTC)', ({ run }) => utc(run.started_at)],
  ['REASON', (row) => (isGroup(row) ? '' : row.run.reason), 20],
]

const periodOf = ({ from, to }: ListedRun): string =>
  day(from) === day(to) ? day(from) : `${day(from)} to ${day(to)}`

/** A run with its trades and drills. */
export function runLines({ run, parts }: RunFile): readonly string[] {
  const { curve: _, drills: __, command, ...facts } = run
  const trades = tradesOf(parts.fill, parts.price).map(
    ({ symbol, side, qty, openedAt, closedAt, entry, exit, profit }) => [
      utc(openedAt.replace(/\.\d+Z$/, 'Z')) ?? '',
      closedAt === undefined ? 'open' : (utc(closedAt.replace(/\.\d+Z$/, 'Z')) ?? ''),
      side,
      String(qty),
      symbol,
      entry.toFixed(2),
      exit?.toFixed(2) ?? '-',
      profit === undefined ? '-' : signed(profit),
    ],
  )
  const heads = ['OPENED (UTC)', 'CLOSED (UTC)', 'SIDE', 'QTY', 'SYMBOL', 'IN', 'OUT', 'P/L']
  const drills = parts.drill.flatMap(({ drill, result, about, evidence, reasons, advice }) => [
    `${result.padEnd(7)}  ${drill}: ${about}`,
    ...[evidence, ...reasons, ...(advice === undefined ? [] : [`what to change: ${advice}`])]
      .filter((line) => line !== '')
      .map((line) => `         ${line}`),
  ])
  return [
    `${verdictWord(run)}${run.reason === '' ? '' : `: ${run.reason}`}`,
    ...recordLines(definedFields({ ...facts, command: command.join(' ') })),
    ...(trades.length > 0 ? ['trades', ...indented(columns([heads, ...trades]))] : []),
    ...(drills.length > 0 ? ['drills', ...indented(drills)] : []),
  ]
}

/** The runs of one command with several seeds: the distribution of their results, and each of them. */
export function groupLines(runs: readonly ListedRun[], width: number): readonly string[] {
  const { worst, ...statistics } = seedStatistics(runs)
  const table: readonly Column<ListedRun>[] = [
    ['RUN', nameOf],
    ['SEED', ({ seed }) => seed, 'right'],
    ['VERDICT', verdictWord],
    ['P/L', ({ profit_loss: profit }) => signed(profit), 'right'],
    ['DRAWDOWN', ({ max_drawdown: fall }) => percent(fall), 'right'],
    ['FILLS', ({ fills }) => fills, 'right'],
    ['REASON', ({ reason }) => reason, 20],
  ]
  const byProfit = runs.toSorted((a, b) => a.profit_loss - b.profit_loss)
  return [
    `${worst.program}: ${runs.length} seeds, ${statistics.profitable} with a profit, ${statistics.failed.length} failed`,
    zeroSentence(statistics),
    ...figureLines(figuresOf(statistics)),
    worstLine(worst.seed, worst.profit_loss, worst.repeat),
    ...tableLines(byProfit, table, width),
  ]
}

/** The same for a program. */
export function groupRecord(group: string, runs: readonly ListedRun[]): object {
  const { worst, ...statistics } = seedStatistics(runs)
  const { seed, profit_loss, repeat: command } = worst
  return { group, ...figuresOf(statistics), worst: definedFields({ seed, profit_loss, command }), runs }
}

/** The figures of two runs beside each other. */
export function comparedLines(a: RunFile, b: RunFile, width: number): readonly string[] {
  type Row = readonly [name: string, a: string, b: string]
  const row = (name: string, value: (file: RunFile) => string): Row => [name, value(a), value(b)]
  const rows: readonly Row[] = [
    row('run', ({ run }) => run.id.slice(0, 8)),
    row('program', ({ run }) => run.program),
    row('commit', ({ run }) => run.revision ?? '-'),
    row('scenario', ({ run }) => run.scenario ?? '-'),
    row('period', ({ run }) => periodOf(run)),
    row('seed', ({ run }) => run.seed),
    row('verdict', ({ run }) => verdictWord(run)),
    row('P/L', ({ run }) => signed(run.profit_loss)),
    row('buy and hold', ({ run }) => (run.buy_and_hold === undefined ? '-' : signed(run.buy_and_hold))),
    row('Sharpe', ({ run }) => sharpeText(run.sharpe)),
    row('drawdown', ({ run }) => percent(run.max_drawdown)),
    row('orders', ({ run }) => String(run.orders)),
    row('fills', ({ run }) => String(run.fills)),
    row('requests', ({ run }) => String(run.requests)),
    row('refused', ({ run }) => String(run.refused)),
    row('faults met', ({ run }) => `${run.faults_met} of ${run.faults_planned}`),
  ]
  return tableLines(
    rows,
    [
      ['', ([name]) => name],
      ['A', ([, one]) => one, 20],
      ['B', ([, , one]) => one, 20],
    ],
    width,
  )
}

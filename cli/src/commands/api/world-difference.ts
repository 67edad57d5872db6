import type { DifferenceOrderRecord, DifferenceRowRecord, WorldDifferenceRecord } from '@quipu/contract'
import { calling } from '../call.ts'
import type { CliCommand } from '../command.ts'
import { type Column, counted, dollars, printText, tableLines, utc } from '../output.ts'

/** Two branches at one instant. */
export const worldDifferenceCommand: CliCommand = calling('getWorldDifference', {
  name: 'world diff',
  about:
    'Compare an account in two worlds at one instant: orders that differ, what each changed, and equity of both.',
  arguments: [
    { name: 'WORLD', about: 'Name of the first world.', field: 'world' },
    { name: 'AGAINST', about: 'Name of the world to compare with.', field: 'against' },
  ],
  flags: {
    account: {
      placeholder: 'ID',
      about: 'Account of the first world. Default: its first account.',
      field: 'account_id',
    },
    'against-account': {
      placeholder: 'ID',
      about: 'Account of the other world. Default: the same id if it has it, else its first account.',
      field: 'against_account_id',
    },
    time: { placeholder: 'TIME', about: 'Instant of both. Default: the earlier clock of the two.' },
  },
  example: 'quipu world diff friday friday-b',
  print: (context, found) => printText(context, found, ...linesOf(found, context.width)),
})

function linesOf(found: WorldDifferenceRecord, width: number): readonly string[] {
  const { world, against, rows, rest, time, tips_apart_ms: apart } = found
  const tips = apart === 0 ? '' : `; the clock of ${against.world} is ${seconds(apart)}`
  const lines: readonly Line[] = [
    ...rows.map((row) => ({ row, change: row.equity_change })),
    { name: rest.kind, change: rest.equity_change },
    { name: 'equity', left: world.equity, right: against.equity, change: found.equity_change },
  ]
  return [
    `both at ${utc(time)} UTC${tips}`,
    ...(found.common_past === null
      ? ['the worlds have no common past: orders are matched by client order id only']
      : []),
    ...(rows.length === 0 ? ['the orders are the same'] : [`${counted(rows.length, 'order')} differ`]),
    ...tableLines(lines, tableOf(found), width),
  ]
}

const seconds = (ms: number): string => `${Math.abs(ms) / 1000} s ${ms > 0 ? 'ahead' : 'behind'}`

type Line = {
  readonly row?: DifferenceRowRecord
  readonly name?: string
  readonly left?: string
  readonly right?: string
  readonly change: string
}

const tableOf = ({ world, against }: WorldDifferenceRecord): readonly Column<Line>[] => [
  ['PLACED (UTC)', ({ row, name }) => (row ? utc(row.placed_at) : name)],
  [world.world, ({ row, left }) => (row ? orderText(row, row.world_order) : dollars(left)), 16],
  [against.world, ({ row, right }) => (row ? orderText(row, row.against_order) : dollars(right)), 16],
  ['CHANGES EQUITY BY', ({ change }) => signed(change), 'right'],
]

const signed = (change: string): string =>
  `${change.startsWith('-') || change === '0' ? '' : '+'}${dollars(change)}`

/** `sell 45 NVDA stop 129.18, filled 129.18`. */
function orderText({ side, symbol }: DifferenceRowRecord, order: DifferenceOrderRecord | null): string {
  if (order === null) return 'no such order'
  const size = order.qty ?? `$${order.notional}`
  const prices = [
    order.stop_price !== null && `stop ${order.stop_price}`,
    order.limit_price !== null && `limit ${order.limit_price}`,
  ].filter((part) => part !== false)
  const terms = `${side} ${size} ${symbol} ${prices.length > 0 ? prices.join(' ') : order.type}`
  return `${terms}, ${order.status.replaceAll('_', ' ')}${order.filled_avg_price === null ? '' : ` ${order.filled_avg_price}`}`
}

import { activityText, isFillActivity } from '../format/activity-text.ts'
import { gainText, moneyText, priceText, quantityText } from '../format/amounts.ts'
import { compare, type Decimal, decimal, negate, numberOf, signOf, subtract } from '../format/decimal.ts'
import { dayText, secondText } from '../format/times.ts'
import type { Account, Activity, Position } from '../live/account-store.ts'
import type { StoryLines } from './story-lines.ts'

/** The figures of an account that have a story. */
export type Figure = 'equity' | 'cash' | 'buyingPower' | 'long' | 'short' | 'margin'

/** The state that the figures are of. */
export type Figures = {
  readonly account: Account
  readonly positions: readonly Position[]
  /** The newest first. */
  readonly activities: readonly Activity[]
  readonly gainToday: string | undefined
}

/** What the figure is, what it is made of, and what changed it last. */
export const figureLines = (figure: Figure, state: Figures): StoryLines => figures[figure](state)

/** What is held of an asset, and what it is worth. The story of its last order follows. */
export const positionLines = (position: Position): StoryLines => {
  const { symbol, qty, avg_entry_price: average, market_value: value, unrealized_pl: gain } = position
  const worth =
    value == null ? '' : `Worth ${moneyText(value)}, ${gainText(gain ?? '0')} since it was bought.`
  return [`${quantityText(qty)} ${symbol} at ${priceText(average)} on average`, worth, '']
}

const figures: Readonly<Record<Figure, (state: Figures) => StoryLines>> = {
  equity: ({ account, positions, gainToday }) => [
    `Equity ${moneyText(account.equity)}`,
    `Cash ${moneyText(account.cash)}, long ${moneyText(longOf(account))}, short ${moneyText(shortOf(account))}.`,
    gainToday === undefined ? '' : `${gainText(gainToday)} today${mostText(positions)}.`,
  ],
  cash: ({ account, activities }) => {
    const last = lastOfCash(activities)
    return [
      `Cash ${moneyText(account.cash)}`,
      last === undefined ? '' : `Last change: ${activityText(last)}, ${whenText(last)}.`,
      '',
    ]
  },
  buyingPower: ({ account }) => [
    `Buying power ${moneyText(account.buying_power)}`,
    `${powerText(account)}, less what open orders hold.`,
    '',
  ],
  long: ({ account, positions }) => [`Long ${moneyText(longOf(account))}`, ...sideTexts(positions, 'long')],
  short: ({ account, positions }) => [
    `Short ${moneyText(shortOf(account))}`,
    ...sideTexts(positions, 'short'),
  ],
  margin: ({ account }) => [
    `Initial margin ${moneyText(account.initial_margin ?? '0')}`,
    `Part of the equity of ${moneyText(account.equity)}: new positions need free equity.`,
    `Below the maintenance margin of ${moneyText(account.maintenance_margin ?? '0')}, positions must be closed.`,
  ],
}

const longOf = (account: Account): string => account.long_market_value ?? '0'
const shortOf = (account: Account): string => account.short_market_value ?? '0'

/** The rule of the multiplier, as in the reference of amounts. */
function powerText(account: Account): string {
  const { equity, cash, multiplier, initial_margin: margin } = account
  if (multiplier === '1') return `Cash of ${moneyText(cash)}`
  if (multiplier === '2')
    return `2 × (equity ${moneyText(equity)} − initial margin ${moneyText(margin ?? '0')})`
  const exposure = subtract(decimal(longOf(account)), decimal(shortOf(account)))
  return `${multiplier} × equity ${moneyText(equity)} − positions of ${moneyText(exposure)}`
}

/** `, the most by NVDA: +120.00` */
function mostText(positions: readonly Position[]): string {
  const [most] = bySize(positions, ({ unrealized_intraday_pl: gain }) => gain)
  if (most === undefined || signOf(most.value) === 0) return ''
  return `, the most by ${most.symbol}: ${gainText(most.value)}`
}

const SHOWN_MAX = 3

/** `5 positions: AAPL 30,000.00, …`, and their part of the gain today. */
function sideTexts(positions: readonly Position[], side: 'long' | 'short'): readonly [string, string] {
  const all = bySize(
    positions.filter((one) => one.side === side),
    ({ market_value: value }) => value,
  )
  if (all.length === 0) return ['No position.', '']
  const shown = all.slice(0, SHOWN_MAX).map(({ symbol, value }) => `${symbol} ${moneyText(value)}`)
  const rest = all.length > SHOWN_MAX ? ` and ${all.length - SHOWN_MAX} more` : ''
  const [largest] = all
  const total = all.reduce((sum, { value }) => sum + Math.abs(numberOf(value)), 0)
  const share = Math.round((Math.abs(numberOf(largest!.value)) / total) * 100)
  return [
    `${all.length} ${all.length === 1 ? 'position' : 'positions'}: ${shown.join(', ')}${rest}.`,
    all.length === 1 ? '' : `${largest!.symbol} is ${share} % of it.`,
  ]
}

type Sized = { readonly symbol: string; readonly value: Decimal }

/** The largest first, gains and losses alike. */
function bySize(
  positions: readonly Position[],
  amountOf: (position: Position) => string | null | undefined,
): readonly Sized[] {
  const absolute = (value: Decimal): Decimal => (signOf(value) < 0 ? negate(value) : value)
  return positions
    .map((position) => ({ symbol: position.symbol, value: decimal(amountOf(position) ?? '0') }))
    .sort((a, b) => compare(absolute(b.value), absolute(a.value)))
}

/** The newest activity that moved cash. */
export const lastOfCash = (activities: readonly Activity[]): Activity | undefined =>
  activities.find((one) => isFillActivity(one) || signOf(decimal(one.net_amount)) !== 0)

function whenText(activity: Activity): string {
  const at = isFillActivity(activity) ? activity.transaction_time : activity.created_at
  return `${dayText(at)} ${secondText(at)}`
}

import { computed } from '@preact/signals'
import type { LedgerLeg } from '@quipu/sdk'
import { moneyText, priceText, quantityText } from '../../format/amounts.ts'
import { add, type Decimal, decimal, numberOf, signOf, subtract, sum, ZERO } from '../../format/decimal.ts'
import { kindWords } from '../../format/event-words.ts'
import { CASH, choice, ownerOf } from './ledger-choice.ts'
import { balances, isComplete, legs } from './ledger-state.ts'

/** What one event moved of one asset of the chosen balance. */
export type Row = {
  readonly key: string
  readonly number: number
  readonly asset: string
  readonly amount: Decimal
  /** The balance after it; undefined if earlier postings are not known. */
  readonly after: Decimal | undefined
  readonly group: string
  readonly leg: LedgerLeg
}

/** `17,117.38` of cash, `155` shares. */
export const amountText = (amount: Decimal, asset: string): string =>
  asset === CASH ? moneyText(amount) : quantityText(amount)

/** All rows of the choice, oldest first. Moves between unsettled and settled leave the balance as it is. */
const allRows = computed<readonly Row[] | undefined>(() => {
  const { of } = choice.value
  if (legs.value === undefined) return undefined
  const moved = new Map<string, { leg: LedgerLeg; amount: Decimal }>()
  for (const leg of legs.value) {
    if (ownerOf(leg) !== of) continue
    const key = `${leg.number} ${leg.asset}`
    const known = moved.get(key)
    moved.set(key, {
      leg: known?.leg ?? leg,
      amount: add(known?.amount ?? ZERO, decimal(leg.amount)),
    })
  }
  const hasAfter = choice.value.asset !== undefined && choice.value.order === undefined
  let after = hasAfter ? earlier.value : undefined
  const rows: Row[] = []
  for (const [key, { leg, amount }] of moved) {
    if (signOf(amount) === 0) continue
    after = after && add(after, amount)
    rows.push({ key, number: leg.number, asset: leg.asset, amount, after, group: groupOf(leg, amount), leg })
  }
  return rows
})

/** The sum of earlier postings that were not read. */
const earlier = computed<Decimal>(() => {
  if (isComplete.value || legs.value === undefined) return ZERO
  const own = legs.value.filter((leg) => ownerOf(leg) === choice.value.of)
  return subtract(chosenBalance.value, sum(own.map(({ amount }) => decimal(amount))))
})

/** The rows of the list: newest first, of the chosen bar. */
export const rows = computed<readonly Row[] | undefined>(() => {
  const { group } = choice.value
  return allRows.value?.filter((row) => group === undefined || row.group === group).toReversed()
})

/** The chosen balance, settled and unsettled. */
const chosenBalance = computed<Decimal>(() => sum(chosenParts.value.map(({ amount }) => decimal(amount))))

const chosenParts = computed(() =>
  (balances.value ?? []).filter(
    (balance) => ownerOf(balance) === choice.value.of && balance.asset === choice.value.asset,
  ),
)

/** The settled part of the chosen balance; undefined for the house, which has no settlement. */
export const settledPart = computed<Decimal | undefined>(() => {
  const isCustomers = chosenParts.value.some(({ account_id: id }) => id !== undefined)
  const settled = chosenParts.value.filter(({ ledger_account: name }) => name.endsWith(':settled'))
  return isCustomers ? sum(settled.map(({ amount }) => decimal(amount))) : undefined
})

export type Bar = {
  readonly group: string
  readonly amount: Decimal
  readonly count: number
  /** Left edge and width, in per cent. */
  readonly left: number
  readonly width: number
}

export type Bars = { readonly bars: readonly Bar[]; readonly total: Bar; readonly count: number }

/** What the balance is made of: what came in, what went out, and the rest. */
export const waterfall = computed<Bars | undefined>(() => {
  const all = allRows.value
  if (all === undefined) return undefined
  const groups = new Map<string, { amount: Decimal; count: number }>()
  if (signOf(earlier.value) !== 0) groups.set('Earlier', { amount: earlier.value, count: 0 })
  for (const { group, amount } of all) {
    const known = groups.get(group) ?? { amount: ZERO, count: 0 }
    groups.set(group, { amount: add(known.amount, amount), count: known.count + 1 })
  }
  const ordered = [...groups].sort(([, a], [, b]) => signOf(b.amount) - signOf(a.amount))
  let at = ZERO
  const spans = ordered.map(([group, { amount, count }]) => {
    const from = at
    at = add(at, amount)
    return { group, amount, count, from: numberOf(from), to: numberOf(at) }
  })
  const total = { group: 'Balance', amount: at, count: all.length, from: 0, to: numberOf(at) }
  const edges = [...spans, total].flatMap(({ from, to }) => [from, to])
  const [low, high] = [Math.min(0, ...edges), Math.max(0, ...edges)]
  const range = high - low || 1
  const barOf = ({ group, amount, count, from, to }: (typeof spans)[number]): Bar => ({
    group,
    amount,
    count,
    left: ((Math.min(from, to) - low) / range) * 100,
    width: (Math.abs(to - from) / range) * 100,
  })
  return { bars: spans.map(barOf), total: barOf(total), count: all.length }
})

const groupNames: Readonly<Record<string, readonly [inward: string, outward: string]>> = {
  accountOpened: ['Deposits', 'Deposits'],
  transferBooked: ['Deposits', 'Withdrawals'],
  bookTransferMade: ['Journals in', 'Journals out'],
  bookTransferSent: ['Journals in', 'Journals out'],
  bookTransferReceived: ['Journals in', 'Journals out'],
  bookTransferReturned: ['Journals in', 'Journals out'],
  feesBooked: ['Fees', 'Fees'],
  dividendPaid: ['Dividends', 'Dividends on shorts'],
  interestPosted: ['Interest', 'Interest'],
  sharesChanged: ['Corporate actions', 'Corporate actions'],
  accountReset: ['Reset', 'Reset'],
}

function groupOf(leg: LedgerLeg, amount: Decimal): string {
  const isIn = signOf(amount) > 0
  if (leg.kind === 'orderFilled') return isPurchase(leg, amount) ? 'Purchases' : 'Sales'
  const names = groupNames[leg.kind]
  if (names) return names[isIn ? 0 : 1]
  const words = kindWords(leg.kind)
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Who pays cash or receives shares buys. */
const isPurchase = ({ asset, symbol }: LedgerLeg, amount: Decimal): boolean =>
  (asset === symbol) === signOf(amount) > 0

/** `Bought 60 AAPL at 309.20` in parts: the verb, the size, the rest. */
export function rowWords({ leg, amount, group }: Row): readonly [verb: string, size: string, rest: string] {
  const { kind, symbol, qty, price } = leg
  if (kind !== 'orderFilled') {
    const size = symbol === undefined ? '' : `${qty === undefined ? '' : `${quantityText(qty)} `}${symbol}`
    return [singular[group] ?? group, size, price === undefined ? '' : `at ${priceText(price)}`]
  }
  return [
    isPurchase(leg, amount) ? 'Bought' : 'Sold',
    `${quantityText(qty ?? '0')} ${symbol}`,
    `at ${priceText(price ?? '0')}`,
  ]
}

const singular: Readonly<Record<string, string>> = {
  Deposits: 'Deposit',
  Withdrawals: 'Withdrawal',
  Dividends: 'Dividend',
  'Journals in': 'Journal',
  'Journals out': 'Journal',
}

import type { Position } from '../account/account.ts'
import {
  add,
  costInCents,
  type Money,
  max,
  NO_MONEY,
  NO_QUANTITY,
  negate,
  type Price,
  type Quantity,
  sizeOf,
  subtract,
  toMoney,
  toPrice,
  toQuantity,
  UNIT,
} from '../amount.ts'
import type { CivilDate } from '../civil-date.ts'
import { definedFields } from '../defined-fields.ts'
import type { AccountId, Ticker } from '../ids.ts'
import { CORPORATE, customer, type LedgerAccount, type Settlement, shares, USD } from '../ledger/chart.ts'
import { balance, moveSigned, type Posting } from '../ledger/ledger.ts'
import type { Moment } from '../moment.ts'
import type { View } from '../state/state.ts'
import { type CorporateAction, isReverse, type Split, sharesAfter, wholeOf } from './action.ts'
import type { SharesChanged } from './events.ts'

type ShareAction = Exclude<CorporateAction, { kind: 'dividend' }>

/**
 * The effect of an action on the shares of one account.
 * A forward split keeps nine decimals of a long position. A reverse split, and any split of a short, leaves
 * whole shares and pays the fraction in cash at the price after the split.
 * The cost basis follows, less the part of a fraction that was paid out. Unsettled shares are split day by
 * day.
 * Shares in custody become exactly `custody`, and nothing is paid out.
 */
export function sharesChanged(
  view: View,
  { at, prices }: Moment,
  action: ShareAction,
  accountId: AccountId,
  position: Position,
  custody?: Quantity,
): SharesChanged {
  const { symbol, id: actionId, kind: why } = action
  const before = position.quantity
  const { exact, after } =
    custody === undefined ? outcomeOf(action, before) : { exact: custody, after: custody }
  const newSymbol = action.kind === 'symbolChange' ? action.newSymbol : undefined
  const price =
    action.kind === 'delisting' ? action.price : priceOf(action, position, prices.trade(symbol)?.price)
  const removed = subtract(exact, after)
  const cash = cashFor(removed, price)
  const costBasis = toMoney(exact === NO_QUANTITY ? NO_MONEY : (position.costBasis * after) / exact)
  const unsettledBefore = unsettledOf(view, accountId, symbol)
  const { settled, unsettled } = scaleParts(action, after, {
    settled: toQuantity(balance(view.ledger, customer(accountId, 'settled'), shares(symbol))),
    unsettled: unsettledBefore,
  })
  return {
    kind: 'sharesChanged',
    at,
    accountId,
    actionId,
    why,
    symbol,
    ...definedFields({ newSymbol }),
    before,
    after,
    costBasis,
    unsettled,
    cash,
    ...definedFields({ price: removed === NO_QUANTITY ? undefined : price }),
    posting: postingOf(view, accountId, symbol, newSymbol ?? symbol, { settled, unsettled, cash }),
  }
}

/** The exact result, and the shares the account keeps; the difference is paid in cash. */
function outcomeOf(action: ShareAction, before: Quantity): { exact: Quantity; after: Quantity } {
  if (action.kind === 'symbolChange') return { exact: before, after: before }
  if (action.kind === 'delisting') return { exact: before, after: NO_QUANTITY }
  const exact = sharesAfter(action, before)
  return { exact, after: isReverse(action) || before < 0n ? wholeOf(exact) : exact }
}

/** The price after a split is the last trade; without trades, the cost per share. */
function priceOf(action: ShareAction, position: Position, last: Price | undefined): Price | undefined {
  if (action.kind !== 'split') return undefined
  if (last !== undefined) return last
  const exact = sharesAfter(action, position.quantity)
  return exact === NO_QUANTITY ? undefined : toPrice((position.costBasis * UNIT) / exact)
}

/** Cash received is rounded down to whole cents; cash paid by a short is rounded up. */
function cashFor(removed: Quantity, price: Price | undefined): Money {
  if (price === undefined) return NO_MONEY
  return removed >= 0n
    ? costInCents(price, removed, 'down')
    : negate(costInCents(price, negate(removed), 'up'))
}

type SharesParts = {
  readonly settled: Quantity
  readonly unsettled: readonly (readonly [CivilDate, Quantity])[]
}

function unsettledOf(view: View, accountId: AccountId, symbol: Ticker): SharesParts['unsettled'] {
  const days: [CivilDate, Quantity][] = []
  for (const [date, day] of view.unsettled.get(accountId) ?? []) {
    const quantity = day.shares.get(symbol)
    if (quantity !== undefined) days.push([date, quantity])
  }
  return days
}

/** Scales every part like the whole; the largest part gets the rounding difference. */
function scaleParts(action: ShareAction, after: Quantity, before: SharesParts): SharesParts {
  const scale = (quantity: Quantity): Quantity =>
    action.kind === 'split'
      ? sharesAfter(action as Split, quantity)
      : action.kind === 'delisting'
        ? NO_QUANTITY
        : quantity
  const settled = scale(before.settled)
  const unsettled = before.unsettled.map(([date, quantity]) => [date, scale(quantity)] as const)
  const sizes = [settled, ...unsettled.map(([, quantity]) => quantity)]
  const difference = sizes.reduce(subtract, after)
  const largest = sizes.map(sizeOf).reduce(max)
  const at = sizes.findIndex((size) => sizeOf(size) === largest)
  const corrected = (size: Quantity, index: number) => (index === at ? add(size, difference) : size)
  return {
    settled: corrected(settled, 0),
    unsettled: unsettled.map(([date, size], index) => [date, corrected(size, index + 1)]),
  }
}

/** The old shares move to the ledger account of corporate actions, and the new shares move from it. */
function postingOf(
  view: View,
  accountId: AccountId,
  from: Ticker,
  to: Ticker,
  { settled, unsettled, cash }: SharesParts & { readonly cash: Money },
): Posting {
  const after: Record<Settlement, bigint> = {
    settled,
    unsettled: unsettled.reduce((sum, [, quantity]) => sum + quantity, 0n),
  }
  return [
    ...(['settled', 'unsettled'] as const).flatMap((part) => {
      const name = customer(accountId, part)
      const before = balance(view.ledger, name, shares(from))
      return from === to
        ? moveTo(to, name, after[part] - before)
        : [...moveTo(from, name, -before), ...moveTo(to, name, after[part])]
    }),
    ...moveSigned(USD, cash, { from: CORPORATE, to: customer(accountId, 'settled') }),
  ]
}

const moveTo = (symbol: Ticker, to: LedgerAccount, quantity: bigint): Posting =>
  moveSigned(shares(symbol), quantity, { from: CORPORATE, to })

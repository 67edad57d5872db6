import { onDay } from '../account/positions/lots.ts'
import { dayFor } from '../account/positions/positions.ts'
import { costInCents, type Quantity } from '../amount.ts'
import type { Deciders } from '../handlers.ts'
import { CORPORATE, customer, USD } from '../ledger/chart.ts'
import { moveSigned } from '../ledger/ledger.ts'
import type { Moment } from '../moment.ts'
import type { OrderEvent } from '../orders/events.ts'
import { found, ok } from '../result.ts'
import type { View } from '../state/state.ts'
import { custodyAfterSplit, listingsAfter, requestToEnd } from '../tokenization/corporate.ts'
import type { ListingsChanged, RequestEvent, TokensRestated } from '../tokenization/events.ts'
import type { WatchlistChanged } from '../watchlists/watchlist.ts'
import type { CorporateAction, Dividend, SymbolChange } from './action.ts'
import type { ActionEvent, DividendEarned, DividendPaid } from './events.ts'
import { orderChanges } from './orders.ts'
import { sharesChanged } from './shares.ts'

type RunEvent = ActionEvent | OrderEvent | WatchlistChanged | ListingsChanged | TokensRestated | RequestEvent

export const runDeciders = {
  /**
   * Applies a due action. Positions and open orders change in one decision, so that no reader sees one without
   * the other. Pending requests that hold shares for tokens end first, each in its own decision; the action
   * stays due until none remains.
   */
  runAction(view, moment, { actionId }) {
    const action = view.actions.get(actionId)
    if (!action || action.appliedAt !== undefined) return ok([])
    const first = requestToEnd(view, moment, action)
    if (first) return ok([first])
    const { symbol } = action
    const custody = action.kind === 'split' ? custodyAfterSplit(view, action) : undefined
    const events: RunEvent[] = [{ kind: 'actionApplied', at: moment.at, actionId }]
    for (const [accountId, positions] of view.positions) {
      const stored = positions.get(symbol)
      if (!stored) continue
      const position = onDay(stored, dayFor(symbol, moment.at))
      if (action.kind !== 'dividend')
        events.push(sharesChanged(view, moment, action, accountId, position, custody?.get(accountId)))
      else events.push(earnedEvent(moment, action, accountId, position.quantity))
    }
    if (action.kind === 'split' || action.kind === 'symbolChange')
      events.push(...listingsAfter(view, moment, action))
    // After the positions: an order never holds more than the position.
    events.push(...orderChanges(view, moment, action))
    if (action.kind === 'symbolChange') events.push(...watchlistChanges(view, moment, action))
    return ok(events)
  },

  /** Pays a dividend on its pay date; shorts are charged. */
  payDividend(view, { at }, { actionId }) {
    const action = found(view.actions.get(actionId), actionId)
    if (action.kind !== 'dividend') throw new Error(`bug: ${actionId} is not a dividend`)
    const events: ActionEvent[] = []
    for (const [accountId, { quantity, amount }] of view.dividends.get(actionId) ?? [])
      events.push(paidEvent(at, action, { accountId, quantity, amount }))
    events.push({ kind: 'dividendsPaid', at, actionId })
    return ok(events)
  },
} satisfies Deciders

/** Watchlists replace the old symbol with the new one. */
function* watchlistChanges(
  view: View,
  { at }: Moment,
  { symbol, newSymbol }: CorporateAction & SymbolChange,
): Generator<WatchlistChanged> {
  for (const [accountId, lists] of view.watchlists)
    for (const { id: watchlistId, name, symbols } of lists.values())
      if (symbols.includes(symbol))
        yield {
          kind: 'watchlistChanged',
          at,
          accountId,
          watchlistId,
          name,
          symbols: symbols.map((each) => (each === symbol ? newSymbol : each)),
        }
}

/** Rounds to the nearest cent. */
function earnedEvent(
  { at }: Moment,
  action: CorporateAction & Dividend,
  accountId: DividendEarned['accountId'],
  quantity: Quantity,
): DividendEarned {
  return {
    kind: 'dividendEarned',
    at,
    actionId: action.id,
    accountId,
    quantity,
    amount: costInCents(action.rate, quantity, 'nearest'),
  }
}

function paidEvent(
  at: Moment['at'],
  { id: actionId, symbol, rate, special }: CorporateAction & Dividend,
  { accountId, quantity, amount }: Pick<DividendEarned, 'accountId' | 'quantity' | 'amount'>,
): DividendPaid {
  const posting = moveSigned(USD, amount, { from: CORPORATE, to: customer(accountId, 'settled') })
  return { kind: 'dividendPaid', at, accountId, actionId, symbol, quantity, rate, special, amount, posting }
}

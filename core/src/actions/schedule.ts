import { format, toPrice, UNIT } from '../amount.ts'
import { dayOf } from '../civil-date.ts'
import type { Deciders } from '../handlers.ts'
import type { Ticker } from '../ids.ts'
import { supply, tokenSymbolOf } from '../ledger/chart.ts'
import { checkCustom } from '../market/assets/added.ts'
import { isPair } from '../market/assets/asset.ts'
import { isTradingDay } from '../market/calendar.ts'
import type { Moment } from '../moment.ts'
import { fail, ok } from '../result.ts'
import type { View } from '../state/state.ts'
import { MINUTE } from '../time.ts'
import { isPending } from '../tokenization/moves.ts'
import { tokenSymbolsOf } from '../tokenization/multiplier.ts'
import { type CorporateAction, effectiveAt, endsSymbol, priceAfter, type Split } from './action.ts'

export type ActionRefusal =
  | { readonly code: 'assetNotFound'; readonly symbol: string }
  | { readonly code: 'actionInvalid'; readonly field: ActionField; readonly rule: string }
  | { readonly code: 'actionOnTokens'; readonly symbol: string }
  | { readonly code: 'actionNotFound'; readonly id: string }
  | { readonly code: 'actionAlreadyApplied'; readonly id: string }
  | { readonly code: 'tooManyActions'; readonly limit: string }

/** The field of the request that is invalid. */
export type ActionField =
  | 'symbol'
  | 'exDate'
  | 'newRate'
  | 'oldRate'
  | 'rate'
  | 'recordDate'
  | 'payDate'
  | 'newSymbol'
  | 'price'

/** Maximum number of actions in a world, past and future; each changes a symbol's tape. */
export const ACTIONS_MAX = 10_000

export const scheduleDeciders = {
  /** Checks run in the order of the steps below; the first failure is returned. */
  scheduleAction(view, moment, { symbol, exDate, terms }) {
    const asset = moment.asset(symbol)
    if (!asset) return fail({ code: 'assetNotFound', symbol })
    if (view.actions.size >= ACTIONS_MAX) return fail({ code: 'tooManyActions', limit: String(ACTIONS_MAX) })
    const action: CorporateAction = {
      id: moment.id('world', view.seq, 0),
      symbol,
      exDate,
      createdAt: moment.at,
      ...terms,
    }
    const fault =
      (asset.status !== 'active' && invalid('symbol', 'must be the symbol of an active asset')) ||
      (isPair(symbol) && invalid('symbol', 'must be the symbol of a stock')) ||
      dateFault(view, moment, action) ||
      termsFault(view, moment, action)
    if (fault) return fail(fault)
    if (tokensForbid(view, action)) return fail({ code: 'actionOnTokens', symbol })
    return ok([{ kind: 'actionScheduled', at: moment.at, action }])
  },

  cancelAction(view, { at }, { actionId }) {
    const action = view.actions.get(actionId)
    if (!action) return fail({ code: 'actionNotFound', id: actionId })
    if (effectiveAt(action) < at + MINUTE) return fail({ code: 'actionAlreadyApplied', id: actionId })
    return ok([{ kind: 'actionCanceled', at, actionId }])
  },
} satisfies Deciders<ActionRefusal>

type Invalid = Extract<ActionRefusal, { code: 'actionInvalid' }>
const invalid = (field: ActionField, rule: string): Invalid => ({ code: 'actionInvalid', field, rule })

/**
 * The action must be at least a minute ahead, because subscribers already know the next minute's prices. The
 * order of actions of one symbol must be unambiguous.
 */
function dateFault(view: View, { at }: Moment, action: CorporateAction): Invalid | undefined {
  const { symbol, exDate } = action
  if (!isTradingDay(dayOf(exDate))) return invalid('exDate', 'must be a trading day')
  if (effectiveAt(action) < at + MINUTE) return invalid('exDate', 'must be a day that has not begun')
  for (const other of view.actions.values()) {
    if (other.symbol !== symbol) continue
    if (other.exDate === exDate) return invalid('exDate', `must differ from the ex-date of ${other.id}`)
    if (endsSymbol(other) && other.exDate < exDate)
      return invalid('exDate', `must be before ${other.exDate}, when ${symbol} is renamed or delisted`)
    if (endsSymbol(action) && other.exDate > exDate)
      return invalid('exDate', `must be after ${other.exDate}, the ex-date of another action of ${symbol}`)
  }
  return undefined
}

function termsFault(view: View, moment: Moment, action: CorporateAction): Invalid | undefined {
  switch (action.kind) {
    case 'split':
      return splitFault(moment, action)
    case 'dividend': {
      const last = moment.prices.trade(action.symbol)?.price
      if (action.rate <= 0n) return invalid('rate', 'must be greater than 0')
      if (last !== undefined && 2n * action.rate > last)
        return invalid('rate', `must be at most half the price of ${format(last)}`)
      if (action.recordDate < action.exDate) return invalid('recordDate', 'must not be before the ex-date')
      if (action.payDate < action.recordDate) return invalid('payDate', 'must not be before the record date')
      return undefined
    }
    case 'symbolChange':
      return newSymbolFault(view, moment, action.newSymbol)
    case 'delisting':
      return action.price !== undefined && action.price < 0n
        ? invalid('price', 'must not be less than 0')
        : undefined
  }
}

const RATIO_MAX = 1000n
const DOLLAR = toPrice(UNIT)
const PRICE_MAX = toPrice(1_000_000n * UNIT)

function splitFault(
  { prices }: Moment,
  action: Split & Pick<CorporateAction, 'symbol'>,
): Invalid | undefined {
  const { newRate, oldRate, symbol } = action
  if (newRate <= 0n) return invalid('newRate', 'must be greater than 0')
  if (oldRate <= 0n) return invalid('oldRate', 'must be greater than 0')
  if (newRate === oldRate) return invalid('newRate', 'must differ from the old rate')
  if (newRate > RATIO_MAX * oldRate || oldRate > RATIO_MAX * newRate)
    return invalid(
      'newRate',
      `must be between a ${RATIO_MAX}th of the old rate and ${RATIO_MAX} times the old rate`,
    )
  const last = prices.trade(symbol)?.price
  const after = last === undefined ? undefined : priceAfter(action, last, 'down')
  if (after !== undefined && after < DOLLAR)
    return invalid('newRate', `must leave a price of at least 1, leaves ${format(after)}`)
  if (after !== undefined && after > PRICE_MAX)
    return invalid('oldRate', `must leave a price of at most 1000000, leaves ${format(after)}`)
  return undefined
}

function newSymbolFault(view: View, { asset }: Moment, newSymbol: Ticker): Invalid | undefined {
  if (isPair(newSymbol) || !checkCustom({ symbol: newSymbol }).ok)
    return invalid('newSymbol', 'must be a stock symbol')
  const isReserved = [...view.actions.values()].some(
    (other) => other.kind === 'symbolChange' && other.newSymbol === newSymbol,
  )
  return asset(newSymbol) || isReserved ? invalid('newSymbol', `${newSymbol} is already in use`) : undefined
}

/** A delisting of a tokenized stock is refused: there would be no shares left to redeem the tokens. */
export const tokensForbid = (view: View, { kind, symbol }: CorporateAction): boolean =>
  kind === 'delisting' && isTokenized(view, symbol)

function isTokenized(view: View, symbol: Ticker): boolean {
  for (const issuer of view.issuers.values()) {
    const names = tokenSymbolsOf(issuer, symbol)
    for (const token of view.ledger.get(supply(issuer.code))?.keys() ?? [])
      if (names.has(tokenSymbolOf(token))) return true
  }
  for (const request of view.requests.values())
    if (request.underlying === symbol && isPending(request)) return true
  return false
}

import {
  isWhole,
  type Money,
  NO_MONEY,
  NO_QUANTITY,
  sizeOf,
  subtract,
  toMoney,
  toQuantity,
} from '../../amount.ts'
import type { CivilDate } from '../../civil-date.ts'
import type { BrokerEvent } from '../../events.ts'
import type { Decider } from '../../handlers.ts'
import type { AccountId } from '../../ids.ts'
import { isPair } from '../../market/assets/asset.ts'
import { nextSession } from '../../market/calendar.ts'
import type { Moment } from '../../moment.ts'
import { placeOrder } from '../../orders/place.ts'
import { found, ok } from '../../result.ts'
import { settingsOf, type View } from '../../state/state.ts'
import { type Instant, later, MINUTE, newYorkDate } from '../../time.ts'
import { heldByMints } from '../../tokenization/shorts.ts'
import { balancesOf } from '../balances.ts'
import { cancelAll } from '../partner/reset.ts'
import { positionTotalsOf, type TotalsRow } from '../positions/position-totals.ts'
import type { MarginCall } from './events.ts'

/** A call is due this long after the open of its last session, when the market has quotes. */
const AFTER_OPEN = 30n * MINUTE

/**
 * The margin calls of a regular close: issued if the equity is below the maintenance margin, met if it no longer
 * is. `costs` are the fees and the interest that the same close books.
 */
export function marginCallsDue(
  view: View,
  moment: Moment,
  date: CivilDate,
  costs: ReadonlyMap<AccountId, bigint>,
): readonly BrokerEvent[] {
  const sessions = settingsOf(view).margin?.callSessions
  if (sessions === undefined) return []
  const { at } = moment
  // After a downtime, the close is processed later than on its date.
  const dueAt = dueAfter(newYorkDate(at), sessions)
  return [...view.accounts.values()].flatMap(({ id: accountId, closedAt, issuer }): BrokerEvent[] => {
    if (closedAt !== undefined || issuer !== undefined) return []
    const call = view.marginCalls.get(accountId)
    const { equity: before, maintenanceMargin } = balancesOf(view, moment, accountId)
    const equity = toMoney(before - (costs.get(accountId) ?? 0n))
    if (equity >= maintenanceMargin)
      return call ? [{ kind: 'marginCallMet', at, accountId, equity, maintenanceMargin }] : []
    // Without a position there is nothing to cover or to close: a debt alone is no margin call.
    if (call || maintenanceMargin === NO_MONEY) return []
    const amount = subtract(maintenanceMargin, equity)
    return [{ kind: 'marginCallIssued', at, accountId, date, equity, maintenanceMargin, amount, dueAt }]
  })
}

function dueAfter(date: CivilDate, sessions: number): Instant {
  let session = nextSession(date)
  for (let count = 1; count < sessions; count++) session = nextSession(session.date)
  return later(session.open, AFTER_OPEN)
}

/**
 * The steps of a call that is due. First: it is met, or all orders are canceled. Then one position at a time is
 * closed with a market order, the largest first, until the maintenance margin of the others is covered.
 */
export const enforceCall: Decider<'enforceCall'> = (view, moment, { accountId }) => {
  const call = view.marginCalls.get(accountId)
  if (!call) return ok([])
  const { at } = moment
  const { equity, maintenanceMargin } = balancesOf(view, moment, accountId)
  const values = { at, accountId, equity, maintenanceMargin }
  if (!call.liquidated) {
    if (equity >= maintenanceMargin) return ok([{ kind: 'marginCallMet', ...values }])
    return ok([...cancelAll(view, accountId, at, 'liquidation'), { kind: 'marginCallEnforced', ...values }])
  }
  const row = nextPosition(view, moment, accountId, {
    liquidated: call.liquidated,
    equity,
    maintenanceMargin,
  })
  if (!row) return ok([{ kind: 'marginCallClosed', at, accountId }])
  return ok(closing(view, moment, row, values))
}

type Coverage = {
  readonly liquidated: NonNullable<MarginCall['liquidated']>
  readonly equity: Money
  readonly maintenanceMargin: Money
}

/** The largest position without a closing order; undefined if the equity covers the rest. */
function nextPosition(
  view: View,
  moment: Moment,
  accountId: AccountId,
  { liquidated, equity, maintenanceMargin }: Coverage,
): TotalsRow | undefined {
  const { rows } = positionTotalsOf(view.positions.get(accountId), moment)
  let required: bigint = maintenanceMargin
  let largest: TotalsRow | undefined
  for (const row of rows)
    if (liquidated.includes(row.position.symbol)) required -= row.maintenance
    else if (!largest || sizeOf(row.value) > sizeOf(largest.value)) largest = row
  return required > equity ? largest : undefined
}

type Values = {
  readonly at: Instant
  readonly accountId: AccountId
  readonly equity: Money
  readonly maintenanceMargin: Money
}

/** Places the order of the broker. A position that cannot be traded is skipped, with the reason. */
function closing(view: View, moment: Moment, { position, value }: TotalsRow, values: Values): BrokerEvent[] {
  const { accountId } = values
  const { symbol, quantity: held } = position
  const common = { kind: 'positionLiquidated', ...values, symbol, value } as const
  const quantity = toQuantity(subtract(sizeOf(held), heldByMints(view, accountId, symbol)))
  if (quantity <= NO_QUANTITY) return [{ ...common, refused: 'insufficientQuantity' }]
  const placed = placeOrder(view, moment, {
    kind: 'placeOrder',
    accountId,
    symbol,
    side: held > 0n ? 'sell' : 'buy',
    type: 'market',
    timeInForce: isPair(symbol) || isWhole(quantity) ? 'gtc' : 'day',
    extendedHours: false,
    quantity,
    source: 'liquidation',
  })
  if (!placed.ok) return [{ ...common, refused: placed.reason.code }]
  const [accepted] = placed.value
  const order = accepted?.kind === 'orderAccepted' ? accepted.order : undefined
  return [...placed.value, { ...common, closingOrderId: found(order, symbol).id }]
}

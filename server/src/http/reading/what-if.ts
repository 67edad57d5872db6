import type { RefusedCommand } from '@quipu/broker/world/requests/refused-orders.ts'
import type { World } from '@quipu/broker/world/world.ts'
import type { InputOf, WhatIfRecord } from '@quipu/contract'
import {
  type AccountId,
  earlier,
  format,
  formatInstant,
  type Instant,
  isOpen,
  later,
  type Order,
  type PlaceOrder,
  settingsOf,
} from '@quipu/core'
import type { WhatIfQuery } from '../../history/what-if.ts'
import { amountOf } from '../../wire/amounts.ts'
import { refuse } from '../../wire/refusal.ts'
import type { Context, SomeHandlers } from '../context.ts'
import { prebuiltOnce } from '../prebuilt.ts'
import { waitsForAuction } from './explain/auction.ts'
import { beginnings, spans } from './explain/counterfactual.ts'
import { eventsOfOrder, type OrderEvents } from './order-events.ts'
import { readerOf } from './reader.ts'

type Unavailable = WhatIfRecord['unavailable']
type Input = { readonly query: InputOf<'whatIfOrder'>['query'] }

export const whatIfHandlers = {
  async whatIfOrder({ params, query }, context) {
    const { world, limitedTo } = readerOf(context, params.world)
    const events = await eventsOfOrder(world, params.order_id, limitedTo)
    if (!events) throw refuse({ code: 'orderNotFound', id: params.order_id })
    const { order } = events
    const from = events.own.findLast(({ event }) => beginnings.has(event.kind))?.event.at
    const life = lifeOf(world, order, from ?? order.createdAt)
    const asked = { terms: order, life, id: { order_id: order.id } }
    return respond(context, world, { ...asked, unavailable: whyNotOf(world, events, from) }, { query })
  },

  async whatIfRequest({ params, query }, context) {
    const { world, limitedTo } = readerOf(context, params.world)
    const { request_id } = params
    const refused = await refusedOrder(world, request_id, limitedTo)
    if (!refused) throw refuse({ code: 'requestNotFound', id: request_id })
    const { at, command } = refused
    const from = later(at, settingsOf(world.view).latencyNs)
    const life = { from, to: min(world.engine.latest, later(at, DAY_NS)) }
    const asked = { terms: command, life, id: { request_id } }
    return respond(context, world, { ...asked, unavailable: whyNoFill(world, command) }, { query })
  },
} satisfies SomeHandlers

/** A refused order is looked at for a day. */
const DAY_NS = 86_400_000_000_000n

const min = (a: Instant, b: Instant): Instant => (a < b ? a : b)

/** An order ends as it did; one that was filled could have waited until it expired, or until now. */
function lifeOf(world: World, order: Order, from: Instant): Asked['life'] {
  const { timeInForce, status, updatedAt, expiresAt } = order
  if (timeInForce === 'ioc' || timeInForce === 'fok') return { from, to: from }
  if (isOpen(order)) return { from, to: world.engine.latest }
  return { from, to: status === 'filled' ? min(world.engine.latest, earlier(expiresAt, 1n)) : updatedAt }
}

function whyNotOf(world: World, { order }: OrderEvents, from: Instant | undefined): Unavailable {
  if (waitsForAuction(order)) return 'auction'
  if (order.trigger !== undefined && order.trigger.electedAt === undefined) return 'stop'
  return whyNoFill(world, order) ?? (from === undefined ? 'not_started' : undefined)
}

function whyNoFill({ market }: World, { symbol, timeInForce }: Terms): Unavailable {
  if (market.live || !market.assets().has(symbol)) return 'provider'
  return timeInForce === 'opg' || timeInForce === 'cls' ? 'auction' : undefined
}

type Terms = Pick<
  Order | PlaceOrder,
  'symbol' | 'side' | 'quantity' | 'notional' | 'limit' | 'extendedHours' | 'timeInForce'
>

type Asked = {
  readonly terms: Terms
  readonly life: { readonly from: Instant; readonly to: Instant }
  readonly id: Pick<WhatIfRecord, 'order_id' | 'request_id'>
  readonly unavailable: Unavailable
}

async function respond<Output>(
  context: Context,
  world: World,
  { terms, life, id, unavailable }: Asked,
  { query }: Input,
): Promise<Output> {
  const { symbol, side, quantity, notional, limit } = terms
  const { fillSize, venue } = settingsOf(world.view)
  const wanted: WhatIfQuery = {
    kind: 'whatIf',
    symbol,
    side,
    quantity,
    notional,
    limit,
    fillSize,
    spans: unavailable === undefined ? [...spans(world, terms, life)] : [],
    prices: unavailable === undefined ? query.limit_prices?.map(amountOf) : [],
    maxMs: context.services.limits.whatIfMs,
    head: {
      world: world.id,
      ...id,
      symbol,
      side,
      ...(notional === undefined ? { qty: format(quantity) } : { notional: format(notional) }),
      ...(limit !== undefined && { limit_price: format(limit) }),
      from: formatInstant(life.from),
      to: formatInstant(life.to),
      ...(unavailable !== undefined && { unavailable }),
      exact: venue === undefined,
    },
  }
  return prebuiltOnce(await context.services.market.history.readWhatIf(world, wanted))
}

type RefusedOrder = RefusedCommand & { readonly command: PlaceOrder }

async function refusedOrder(
  world: World,
  requestId: string,
  accountId: AccountId | undefined,
): Promise<RefusedOrder | undefined> {
  const refused = await world.clients.outcomes.refusalOf(requestId)
  if (refused?.command.kind !== 'placeOrder') return undefined
  if (!world.view.accounts.has(refused.command.accountId)) return undefined
  const isVisible = accountId === undefined || refused.command.accountId === accountId
  return isVisible ? (refused as RefusedOrder) : undefined
}

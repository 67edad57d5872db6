import type { Price } from '../amount.ts'
import { definedFields } from '../defined-fields.ts'
import type { ClientOrderId, OrderId } from '../ids.ts'
import type { Moment } from '../moment.ts'
import { found } from '../result.ts'
import { closingOf } from './intent.ts'
import { type GroupClass, kindWith } from './kinds.ts'
import type { Order, OrderGroup, Side } from './order.ts'
import type { OrderTerms } from './terms.ts'

/**
 * Creates a parent with its legs. A bracket has a take-profit and a stop-loss, an `oto` one of them; in an
 * `oco` the parent is the take-profit.
 */
export function withLegs(
  makeId: Moment['id'],
  parent: Order,
  terms: OrderTerms,
  events: number,
): readonly [Order, ...Order[]] {
  const { class: group, takeProfit, stopLoss } = terms
  if (!group) return [parent]
  const legs: Order[] = []
  const add = (role: 'takeProfit' | 'stopLoss', prices: Prices): void => {
    const n = 2 + 2 * legs.length
    const id = makeId(parent.accountId, events, n)
    const clientOrderId = makeId(parent.accountId, events, n + 1)
    legs.push(legOf(parent, { class: group, role, parentId: parent.id }, { id, clientOrderId, ...prices }))
  }
  if (takeProfit && group !== 'oco') add('takeProfit', { limit: takeProfit.limit })
  if (stopLoss) add('stopLoss', stopLoss)
  const role = group === 'oco' ? 'takeProfit' : 'entry'
  const legIds = legs.map(({ id }) => id)
  return [definedFields({ ...parent, group: { class: group, role, legIds } }), ...legs]
}

/** The side of a leg from the side of its parent, and the reverse; in an `oco` both are exits with the same side. */
export function relatedOrderSide(group: GroupClass, side: Side): Side {
  if (group === 'oco') return side
  return side === 'buy' ? 'sell' : 'buy'
}

type Prices = { readonly stop?: Price; readonly limit?: Price }

function legOf(
  parent: Order,
  group: OrderGroup,
  fields: Prices & { readonly id: OrderId; readonly clientOrderId: ClientOrderId },
): Order {
  const side = relatedOrderSide(group.class, parent.side)
  const { limit, stop, id, clientOrderId } = fields
  return definedFields({
    ...parent,
    id,
    clientOrderId,
    side,
    kind: kindWith({ limit, stop }),
    intent: closingOf(side),
    limit,
    trigger: stop === undefined ? parent.trigger : { stop },
    group,
    status: 'held',
    reserve: found(limit ?? stop, 'the price of a leg'),
  })
}

import assert from 'node:assert/strict'
import type { OrderRecord } from '@quipu/contract'
import { type AccountId, type Order, parseDecimal, parseInstant } from '@quipu/core'
import type { World } from '../../../broker/src/world/world.ts'

/** An order in a response or a message. */
export type ObservedOrder = {
  readonly id: string
  readonly accountId: string
  readonly clientOrderId: string
  readonly filled: bigint
  readonly status: string
  readonly updatedAt: bigint
}

export const observedOrder = ({
  id,
  accountId,
  clientOrderId,
  filledQuantity,
  status,
  updatedAt,
}: Order): ObservedOrder => ({
  id,
  accountId,
  clientOrderId,
  filled: filledQuantity,
  status,
  updatedAt,
})

export const observedOnWire = (record: OrderRecord, accountId: string): ObservedOrder => ({
  id: record.id,
  accountId,
  clientOrderId: record.client_order_id,
  filled: parsedValue(parseDecimal(record.filled_qty)),
  status: record.status,
  updatedAt: parsedValue(parseInstant(record.updated_at)),
})

const ENDED = /^(filled|canceled|expired|rejected)$/

/** The newest version of each order that a client received; no later response may be older. */
export class ObservedOrders {
  readonly #known = new Map<string, ObservedOrder>()

  /** A copy of the observed orders, to compare with a later response. */
  now(): ReadonlyMap<string, ObservedOrder> {
    return new Map(this.#known)
  }

  /** Records an order of a response; `before` has the orders that were observed before the request. */
  take(order: ObservedOrder, before?: ReadonlyMap<string, ObservedOrder>): void {
    const known = before?.get(order.id)
    if (known) assertLater(known, order)
    const newest = this.#known.get(order.id)
    if (!newest || order.updatedAt >= newest.updatedAt) this.#known.set(order.id, order)
  }

  /** Records a list of all orders of an account; `before` has the orders observed before the request. */
  takeList(
    accountId: string,
    list: readonly ObservedOrder[],
    before: ReadonlyMap<string, ObservedOrder>,
  ): void {
    const listed = new Set(list.map(({ id }) => id))
    assert.equal(listed.size, list.length, 'an order is listed once')
    for (const order of before.values())
      if (order.accountId === accountId) assert(listed.has(order.id), `order ${order.id} is not in the list`)
    for (const order of list) this.take(order, before)
  }

  /** Every acknowledged order is found, in memory or in the query tables. */
  async assertFound(world: World): Promise<void> {
    for (const { id, accountId, clientOrderId } of this.#known.values()) {
      const inMemory = world.view.orders.get(id as never)
      const order =
        inMemory ??
        (await world.storage.queryTables.orderByClientId(accountId as AccountId, clientOrderId as never))
      assert(order, `order ${id} was acknowledged, but neither memory nor the query tables have it`)
      this.take(observedOrder(order), this.#known)
    }
  }
}

function assertLater(before: ObservedOrder, order: ObservedOrder): void {
  assert.equal(order.clientOrderId, before.clientOrderId)
  assert(order.filled >= before.filled, `order ${order.id} is less filled than before`)
  if (ENDED.test(before.status)) assert.equal(order.status, before.status, 'a closed order stays closed')
  assert(order.updatedAt >= before.updatedAt, `order ${order.id} is older than before`)
}

function parsedValue(parsed: { readonly ok: boolean; readonly value?: bigint }): bigint {
  assert(parsed.ok)
  return parsed.value!
}

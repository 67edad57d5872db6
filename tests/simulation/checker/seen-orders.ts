import assert from 'node:assert/strict'
import type { OrderRecord } from '@quipu/contract'
import { type AccountId, type Order, parseDecimal, parseInstant } from '@quipu/core'
import type { World } from '../../../server/src/world/world.ts'

/** An order as someone was shown it. */
export type Seen = {
  readonly id: string
  readonly accountId: string
  readonly clientOrderId: string
  readonly filled: bigint
  readonly status: string
  readonly updatedAt: bigint
}

export const seenOf = ({ id, accountId, clientOrderId, filledQuantity, status, updatedAt }: Order): Seen => ({
  id,
  accountId,
  clientOrderId,
  filled: filledQuantity,
  status,
  updatedAt,
})

export const seenOnWire = (record: OrderRecord, accountId: string): Seen => ({
  id: record.id,
  accountId,
  clientOrderId: record.client_order_id,
  filled: parsedValue(parseDecimal(record.filled_qty)),
  status: record.status,
  updatedAt: parsedValue(parseInstant(record.updated_at)),
})

const ENDED = /^(filled|canceled|expired)$/

/** The most that anyone was told of each order: no later answer may say less. */
export class SeenOrders {
  readonly #known = new Map<string, Seen>()

  /** What is known now, for an answer that comes later. */
  now(): ReadonlyMap<string, Seen> {
    return new Map(this.#known)
  }

  /** Someone was told of an order when so much was known already. */
  take(order: Seen, before?: ReadonlyMap<string, Seen>): void {
    const known = before?.get(order.id)
    if (known) assertLater(known, order)
    const newest = this.#known.get(order.id)
    if (!newest || order.updatedAt >= newest.updatedAt) this.#known.set(order.id, order)
  }

  /** A list of all orders of an account, which was asked for when so much was known. */
  takeList(accountId: string, list: readonly Seen[], before: ReadonlyMap<string, Seen>): void {
    const listed = new Set(list.map(({ id }) => id))
    assert.equal(listed.size, list.length, 'an order is listed once')
    for (const order of before.values())
      if (order.accountId === accountId) assert(listed.has(order.id), `order ${order.id} is not in the list`)
    for (const order of list) this.take(order, before)
  }

  /** Every acknowledged order is found, in memory or in the views. */
  async assertFound(world: World): Promise<void> {
    for (const { id, accountId, clientOrderId } of this.#known.values()) {
      const inMemory = world.view.orders.get(id as never)
      const order =
        inMemory ?? (await world.views.orderByClientId(accountId as AccountId, clientOrderId as never))
      assert(order, `order ${id} was acknowledged, and neither memory nor the views have it`)
      this.take(seenOf(order), this.#known)
    }
  }
}

function assertLater(before: Seen, order: Seen): void {
  assert.equal(order.clientOrderId, before.clientOrderId)
  assert(order.filled >= before.filled, `order ${order.id} is less filled than before`)
  if (ENDED.test(before.status)) assert.equal(order.status, before.status, 'an ended order stays so')
  assert(order.updatedAt >= before.updatedAt, `order ${order.id} is older than before`)
}

function parsedValue(parsed: { readonly ok: boolean; readonly value?: bigint }): bigint {
  assert(parsed.ok)
  return parsed.value!
}

import { computed, effect } from '@preact/signals'
import { isFinal, NotFoundError, type WireOrder as Order } from '@quipu/sdk'
import { current } from '../live/current.ts'
import type { OrderChange } from '../live/order-stream.ts'
import type { Connection } from '../session/connections.ts'
import { sending, setSending } from './ticket-state.ts'

/**
 * An uncertain order is looked up at once, and whenever the stream opens again. One that is placed is read again, because
 * its fill may have come before the response, in the snapshot of a stream that opened meanwhile.
 */
const isToRead = computed(() => sending.value.kind === 'uncertain' || sending.value.kind === 'placed')

/** Follows the order that was sent to its end, and looks for one whose response was lost. Returns a function that ends it. */
export const followPlaced = (): (() => void) =>
  effect(() => {
    const store = current.value?.store
    if (!store) return undefined
    void isToRead.value
    void readPlaced(store.connection)
    return store.orderStream.follow({
      take: (updates) => takeUpdates(updates, store.connection),
      readAgain: () => void readPlaced(store.connection),
    })
  })

function takeUpdates(updates: readonly OrderChange[], connection: Connection): void {
  for (const { order } of updates) if (isSent(order)) take(order, connection)
}

/** Whether an order is the one that the ticket sent, or replaced it. */
function isSent(order: Order): boolean {
  const state = sending.peek()
  if (state.kind === 'placed') return order.id === state.order.id || order.replaces === state.order.id
  return 'clientOrderId' in state && order.client_order_id === state.clientOrderId
}

function take(order: Order, connection: Connection): void {
  const state = sending.peek()
  const wasLost = state.kind === 'placed' ? state.wasLost : state.kind !== 'sending'
  // A read that took longer than the stream knows less.
  if (state.kind === 'placed' && state.order.id === order.id && isFinal(state.order)) return
  setSending({ kind: 'placed', order, wasLost }, connection)
}

/** Reads the order again: updates may have been missed. */
async function readPlaced(connection: Connection): Promise<void> {
  const state = sending.peek()
  if (state.kind === 'placed' && !isFinal(state.order)) {
    const order = await connection.client
      .getOrder({ params: { order_id: state.order.id } })
      .catch(() => undefined)
    if (order && isSent(order)) take(order, connection)
  }
  if (state.kind !== 'uncertain') return
  const { clientOrderId } = state
  const found = await connection.client
    .getOrderByClientOrderId({ query: { client_order_id: clientOrderId } })
    .catch((error: Error) => (error instanceof NotFoundError ? null : undefined))
  if (found === undefined || sending.peek() !== state) return
  setSending(
    found ? { kind: 'placed', order: found, wasLost: true } : { kind: 'missing', clientOrderId },
    connection,
  )
}

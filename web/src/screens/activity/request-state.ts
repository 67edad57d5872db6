import { effect, signal } from '@preact/signals'
import type { JournalEvent, LedgerLeg, LoggedRequest, Output } from '@quipu/sdk'
import { current } from '../../live/current.ts'
import { oneAtATime } from '../../live/one-at-a-time.ts'
import { place } from '../../router.ts'
import type { Connection } from '../../session/connections.ts'
import { worldName } from '../../session/selection.ts'
import { lastSeq, reader } from './activity-logs.ts'

export type Frame = Output<'listFrames'>['frames'][number]
type Explanation = Output<'explainRequest'>

/** A request and what it caused: its own events, and the later ones of its orders. */
export type RequestState = {
  readonly id: string
  /** Absent if newer requests have replaced it in the log. */
  readonly request: LoggedRequest | undefined
  readonly events: readonly JournalEvent[]
  readonly postings: readonly LedgerLeg[]
  readonly frames: readonly Frame[]
  readonly explanation: Explanation | undefined
  readonly orderIds: readonly string[]
}

export const shown = signal<RequestState | undefined>(undefined)
export const shownProblem = signal<Error | undefined>(undefined)

/** Orders of one request that are followed; a request that cancels all orders has many. */
const ORDERS_MAX = 5
const EVENTS_MAX = 500

/** Reads the request of the address, and again when its orders change. Returns a function that ends it. */
export function followRequest(): () => void {
  return effect(() => {
    const [connection, id, world, live] = [reader.value, place.value.item, worldName.value, current.value]
    shownProblem.value = undefined
    if (shown.peek()?.id !== id) shown.value = undefined
    if (!connection || id === undefined) return undefined
    const closing = new AbortController()
    const read = oneAtATime(() => readState(connection, world, id, closing.signal))
    read()
    const endUpdates = live?.store.orderStream.follow({
      take: (updates) => {
        if (updates.some(({ order }) => shown.peek()?.orderIds.includes(order.id))) read()
      },
      readAgain: read,
    })
    // A later request, such as an advance of the clock, may have moved the orders of another account.
    const first = lastSeq.peek()
    const endSeq = effect(() => {
      if (lastSeq.value > first && (shown.peek()?.orderIds.length ?? 0) > 0) read()
    })
    return () => {
      closing.abort()
      endUpdates?.()
      endSeq()
    }
  })
}

/** Reads the request on screen again. */
export function readAgain(): void {
  const [connection, id] = [reader.peek(), place.peek().item]
  if (connection && id !== undefined)
    void readState(connection, worldName.peek(), id, new AbortController().signal)
}

async function readState(
  { client }: Connection,
  world: string,
  id: string,
  signal: AbortSignal,
): Promise<void> {
  const options = { signal }
  const params = { world, request_id: id }
  try {
    const [details, explanation] = await Promise.all([
      client.getRequest({ params }, options),
      client.explainRequest({ params }, options).catch(() => undefined),
    ])
    const { request, events, postings, order_ids: orderIds } = details
    const followed = orderIds.slice(0, ORDERS_MAX)
    const later = await Promise.all(
      followed.map((orderId) => readOrder(client, world, orderId, events[0]?.number ?? 0, options)),
    )
    const state = {
      id,
      request,
      explanation,
      orderIds,
      events: byNumber([events, ...later.map((one) => one.events)]),
      postings: byNumber([postings, ...later.map((one) => one.postings)]),
      frames: byNumber(later.map((one) => one.frames)),
    }
    if (signal.aborted) return
    shown.value = state
    shownProblem.value = undefined
  } catch (error) {
    if (!signal.aborted) shownProblem.value = error as Error
  }
}

/** What happened to an order from an event on. */
async function readOrder(
  client: Connection['client'],
  world: string,
  orderId: string,
  from: number,
  options: { readonly signal: AbortSignal },
): Promise<Pick<RequestState, 'events' | 'postings' | 'frames'>> {
  const params = { world }
  const query = { order_id: orderId, limit: EVENTS_MAX }
  const [{ events }, { postings }, { frames }] = await Promise.all([
    client.listEvents({ params, query }, options),
    client.listPostings({ params, query }, options),
    client.listFrames({ params, query: { order_id: orderId } }, options),
  ])
  const isLater = ({ number }: { readonly number: number }) => number >= from
  return {
    events: events.filter(isLater),
    postings: postings.filter(isLater),
    frames: frames.filter(isLater),
  }
}

/** All rows once, in the order of the journal. */
function byNumber<Row extends { readonly number: number; readonly leg?: number }>(
  lists: readonly (readonly Row[])[],
): readonly Row[] {
  const rows = new Map(lists.flat().map((row) => [`${row.number} ${row.leg ?? ''}`, row]))
  return [...rows.values()].sort((a, b) => a.number - b.number || (a.leg ?? 0) - (b.leg ?? 0))
}

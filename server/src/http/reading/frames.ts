import type { Committed } from '@quipu/broker/journal/committed.ts'
import { unpackUpdates } from '@quipu/broker/query-tables/updates.ts'
import type { World } from '@quipu/broker/world/world.ts'
import type { InputOf, StreamFrameRecord } from '@quipu/contract'
import { type AccountId, type Instant, missing, type OrderId, orderEvents } from '@quipu/core'
import { scan } from '../../history/scan.ts'
import { eventAccount, type NumberedEvent } from '../../wire/numbered-event.ts'
import { refuse } from '../../wire/refusal.ts'
import { tradeUpdateOf } from '../../wire/trade-update.ts'
import type { Context, SomeHandlers } from '../context.ts'
import { eventsOfOrder } from './order-events.ts'
import { type Reader, readerOf } from './reader.ts'
import { eventsOfRequest } from './requests.ts'

/** The messages of streams, derived from the events that cause them. None is stored. */
export const frameHandlers = {
  async listFrames({ params, query }, context) {
    const reader = readerOf(context, params.world)
    const events = (await eventsFor(context, reader, query)).filter(
      ({ event }) =>
        mayHaveFrame(event.kind) && (reader.limitedTo ?? eventAccount(event)) === eventAccount(event),
    )
    await reader.world.storage.untilQueryTables(events.at(-1)?.seq ?? 0)
    return { frames: await framesOf(reader.world, events) }
  },
} satisfies SomeHandlers

/** A trailing stop moves often, and no stream reports the moves. */
const mayHaveFrame = (kind: string): boolean => kind in orderEvents && kind !== 'stopAdjusted'

async function eventsFor(
  context: Context,
  { world, limitedTo }: Reader,
  { order_id: orderId, request_id: requestId, number }: InputOf<'listFrames'>['query'],
): Promise<readonly NumberedEvent[]> {
  if (requestId !== undefined) return eventsOfRequest(world, context, requestId)
  if (number !== undefined)
    return (await scan(world.storage.journal, { after: number - 1, limit: 1, scanMax: 1, filter: {} })).found
  const events = await eventsOfOrder(world, orderId as OrderId, limitedTo)
  if (!events) throw refuse({ code: 'orderNotFound', id: orderId })
  return events.own
}

async function framesOf(world: World, events: readonly NumberedEvent[]): Promise<StreamFrameRecord[]> {
  const frames: StreamFrameRecord[] = []
  let updates: ReadonlyMap<number, Committed> = new Map()
  for (const { seq, event, cause } of events) {
    const accountId = eventAccount(event) ?? missing('the account of an order')
    if (!updates.has(seq)) updates = await updatesFrom(world, accountId, event.at, seq)
    const committed = updates.get(seq)
    const update = committed && tradeUpdateOf(committed)
    if (!update) continue
    frames.push({
      number: seq,
      at: update.at,
      account_id: accountId,
      order_id: update.order.id,
      request_id: cause,
      stream: 'trade_updates',
      event: update.event,
      data: { ...update },
    })
  }
  return frames
}

/** The updates that the query tables stored together with an event: they have the order as each event left it. */
async function updatesFrom(
  { storage: { queryTables } }: World,
  accountId: AccountId,
  at: Instant,
  seq: number,
): Promise<ReadonlyMap<number, Committed>> {
  const beyond = { at, seq: seq - 1, n: 0 }
  const [row] = await queryTables.updates({ accountId, beyond, direction: 'asc', limit: 1 })
  return new Map(row ? unpackUpdates(accountId, row).map((committed) => [committed.seq, committed]) : [])
}

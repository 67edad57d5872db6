import type { WorldEntry } from '@quipu/broker/registry/worlds.ts'
import type { SnapshotMessage, WorldClockRecord } from '@quipu/contract'
import { orderToWire } from '../../../wire/order-wire.ts'
import type { Context } from '../../context.ts'
import { eventStream, type Sink, sseMessage } from '../../event-stream.ts'
import { clockToWire } from '../../sim/world/world-wire.ts'
import { openReader } from '../readers.ts'
import { type Captured, capture, type SnapshotOf } from './capture.ts'
import { SnapshotParts, snapshotMoment } from './changes.ts'
import type { CurvePeriod } from './curve.ts'
import { HEARTBEAT_MS, WorldFollower } from './follow-world.ts'

type Followed = SnapshotOf & { readonly curve: CurvePeriod | undefined }

/** Sends the whole snapshot, then what changed, until the world ends. A node that takes the world over sends the whole again. */
export function snapshotStream<Output>(context: Context, entry: WorldEntry, followed: Followed): Output {
  openReader(context)
  const { worlds } = context.services
  return eventStream(async (sink) => {
    sink.stopHeartbeats()
    const parts = new SnapshotParts(followed.curve)
    const follower = new WorldFollower(worlds, entry, followed.accountId, () => parts.restartCurve())
    try {
      await send({ entry, followed, parts, follower }, sink)
    } finally {
      follower.close()
    }
  })
}

type Sent = {
  readonly entry: WorldEntry
  readonly followed: Followed
  readonly parts: SnapshotParts
  readonly follower: WorldFollower
}

async function send({ entry, followed, parts, follower }: Sent, { write, signal }: Sink): Promise<void> {
  const first = await captureDurable(entry, followed)
  const data = { ...(await parts.whole(first.captured)), clock: first.clock }
  await write(textOf({ event: 'snapshot', data }))
  let [sentMs, sentAt] = [performance.now(), first.captured.at]
  while (!signal.aborted && !follower.isOver) {
    const isChanged = await follower.next(signal)
    if (signal.aborted || follower.isOver) return
    const { captured, clock } = await captureDurable(entry, followed)
    const [ended, older] = [follower.endedOrders(captured), follower.olderOrders(captured)]
    const changes = {
      ...(isChanged && (await parts.next(captured))),
      ...(older.length > 0 && { orders_older: older.map((order) => orderToWire(order)) }),
      ...(ended.length > 0 && { orders_final: ended.map((order) => orderToWire(order)) }),
    }
    // A wall clock moves by itself; a virtual one is sent when it moved.
    const isMoved = entry.clock !== undefined && captured.at !== sentAt
    const isDue = performance.now() - sentMs >= HEARTBEAT_MS
    if (Object.keys(changes).length === 0 && !isMoved && !isDue) continue
    await write(textOf({ event: 'changes', data: { ...snapshotMoment(captured), clock, ...changes } }))
    ;[sentMs, sentAt] = [performance.now(), captured.at]
  }
}

/** The account and the clock of one turn. Resolves when its last event is durable. */
const captureDurable = async (
  entry: WorldEntry,
  of: SnapshotOf,
): Promise<{ readonly captured: Captured; readonly clock: WorldClockRecord }> =>
  (
    await entry.world.engine.read((view) => ({
      captured: capture(of, view),
      clock: clockToWire(entry),
    }))
  ).value

const textOf = ({ event, data }: SnapshotMessage): string => sseMessage(event, JSON.stringify(data))

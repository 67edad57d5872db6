import { eventOf } from '@quipu/broker/journal/stored-event.ts'
import type { World } from '@quipu/broker/world/world.ts'
import { type MomentText, SNAPSHOT_EVENTS_MAX } from '@quipu/contract'
import { formatInstant, type Instant, later, type View } from '@quipu/core'
import { instantOf } from '../../../wire/moments.ts'
import { refuse } from '../../../wire/refusal.ts'

type Asked = { readonly event?: number | undefined; readonly time?: MomentText | undefined }

/** The state of a world after one of its last events, or at an instant, and the instant that prices are of. */
export async function pastState(
  world: World,
  asked: Asked,
): Promise<{ readonly view: View; readonly at: Instant }> {
  const time = asked.time && instantOf(asked.time)
  const event = asked.event ?? (await eventAt(world, time!))
  const { seq: newest } = world.view
  const oldest = oldestEvent(world)
  if (event < oldest || event > newest)
    throw invalid(`event: expected a number from ${oldest} to ${newest}, received ${event}`)
  // The prices of a live market are only those of now.
  if (world.market.live && event < newest)
    throw invalid(`event: expected ${newest}, received ${event}: a live market has no earlier prices`)
  const now = world.engine.now
  await world.engine.untilDurable(event)
  const view = await world.storage.stateAt(event)
  const from = later(view.lastAt, 1n)
  if (time === undefined) return { view, at: from }
  assertBetween(time, view.lastAt, (await instantAfter(world, event)) ?? now)
  return { view, at: time > from ? time : from }
}

const oldestEvent = ({ view }: World): number => Math.max(1, view.seq - SNAPSHOT_EVENTS_MAX + 1)

/** The last event up to an instant. Throws if it is older than the events that a snapshot can be of. */
async function eventAt(world: World, time: Instant): Promise<number> {
  const now = world.engine.now
  let seq = oldestEvent(world) - 1
  let first: Instant | undefined
  let found: number | undefined
  await world.engine.untilDurable(world.view.seq)
  for await (const entries of world.storage.journal.read(seq))
    for (const entry of entries) {
      const { at } = eventOf(entry)
      first ??= at
      seq += 1
      if (at <= time) found = seq
    }
  assertBetween(time, first ?? now, now)
  return found ?? seq
}

function assertBetween(time: Instant, from: Instant, to: Instant): void {
  if (time < from || time > to)
    throw invalid(
      `time: expected from ${formatInstant(from)} to ${formatInstant(to)}, received ${formatInstant(time)}`,
    )
}

/** The time of the next event; undefined if it is the last one. */
async function instantAfter(world: World, event: number): Promise<Instant | undefined> {
  for await (const entries of world.storage.journal.read(event)) {
    const [first] = entries
    if (first) return eventOf(first).at
  }
  return undefined
}

const invalid = (problem: string) => refuse({ code: 'invalidParameter', problem })

import { eventOf } from '@quipu/broker/journal/stored-event.ts'
import type { World } from '@quipu/broker/world/world.ts'
import { type MomentText, SNAPSHOT_EVENTS_MAX } from '@quipu/contract'
import { formatInstant, type Instant, later, type View } from '@quipu/core'
import { instantOf } from '../../../wire/moments.ts'
import { refuse } from '../../../wire/refusal.ts'

type Asked = { readonly event: number; readonly time?: MomentText | undefined }

/** The state of a world after one of its last events, and the instant that prices are of. */
export async function pastState(
  world: World,
  { event, time }: Asked,
): Promise<{ readonly view: View; readonly at: Instant }> {
  const { seq: newest } = world.view
  const oldest = Math.max(1, newest - SNAPSHOT_EVENTS_MAX + 1)
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
  const at = instantOf(time)
  const next = await instantAfter(world, event)
  const until = next === undefined ? now : next
  if (at < view.lastAt || at > until)
    throw invalid(
      `time: expected from ${formatInstant(view.lastAt)} to ${formatInstant(until)}, received ${formatInstant(at)}`,
    )
  return { view, at: at > from ? at : from }
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

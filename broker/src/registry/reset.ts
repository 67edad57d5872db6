import { type BrokerEvent, earlier, type Instant, later, max, settingsOf } from '@quipu/core'
import type { Entry, Journal } from '../journal/journal.ts'
import { NotApplied } from '../journal/not-applied.ts'
import { causeOf, eventOf, storedEntry, storedKind, storedRecord } from '../journal/stored-event.ts'
import type { World } from '../world/world.ts'
import { Held } from './opening/held.ts'
import { dropCredentials, type Origin, openVirtual } from './opening/open-virtual.ts'
import { type ResetClock, resetEvents } from './reset-events.table.ts'
import { storeOf } from './virtual-store.ts'
import type { WorldEntry } from './world-entry.ts'
import type { SharedByWorlds } from './world-list.ts'

/**
 * Closes a world and opens it again at its origin, with a new journal. The lease of the earlier journal is held until
 * then, so that no other process opens the world meanwhile.
 */
export async function resetEntry(
  { parts, credentials, list }: SharedByWorlds,
  entry: WorldEntry & { readonly origin: Origin },
): Promise<WorldEntry> {
  const { world, origin, parent, storage } = entry
  const { id } = world
  const settings = settingsOf(world.view)
  const journal = await closeAtOrigin(world, origin)
  const durable = storage?.successor()
  const failed = (error: unknown) => parts.failed(id, error)
  const renewed = await Held.begin({ release: () => durable?.journal.released(), failed }, async (held) => {
    await durable?.journal.fill(journal)
    const store = durable?.journal.store(settings) ?? (await storeOf(settings, journal, origin.fork))
    const { at: start, loaded } = origin
    const opened = await openVirtual(parts, held, { id, start, store, parent, loaded, durable })
    await dropCredentials(opened.world, 'reset')
    await durable?.created(origin)
    held.begun(credentials.worlds.replace(world, opened.world))
    return list.add({ ...entry, ...opened, storage: durable, held })
  })
  await entry.held.end(() => storage?.journal.delete(failed)).catch(failed)
  return renewed
}

/** Closes a world. Returns the journal that it begins again with; requests are not applied from now on. */
async function closeAtOrigin(world: World, origin: Origin): Promise<Journal> {
  let journal: Journal | undefined
  world.status.ending = 'reset'
  await world.close(async (last) => {
    const back = world.engine.latest - origin.at
    const moved = (instant: Instant) => max(earlier(instant, back), origin.at)
    journal = await journalAtOrigin(last, origin, { moved })
  })
  // The journal of the world failed just now.
  if (!journal) throw new NotApplied('worldRestarting')
  return journal
}

/** A journal in memory with the events up to the origin, and the later events that stay, at the time of the origin. */
async function journalAtOrigin(
  journal: Journal,
  { seq }: Pick<Origin, 'seq'>,
  clock: ResetClock,
): Promise<Journal> {
  const renewed = await journal.fork(seq)
  let at: Instant | undefined
  const kept: Entry[] = []
  for await (const entries of journal.read(seq - 1))
    for (const entry of entries) {
      // The first entry is the last one of the origin.
      if (at === undefined) at = eventOf(entry).at
      else if (resetEvents[storedKind(entry)] !== 'dropped') {
        at = later(at, 1n)
        kept.push(...keptOf(entry, at, clock))
      }
    }
  if (kept.length > 0) await renewed.append(kept)
  return renewed
}

/** What a reset keeps of a later entry: the entry at the time of the origin, or nothing. */
function keptOf(entry: Entry, at: Instant, clock: ResetClock): readonly Entry[] {
  const moved = { ...eventOf(entry), at }
  const rule = resetEvents[moved.kind] as 'kept' | AnyRewrite
  const event = rule === 'kept' ? moved : rule(moved, clock)
  return event ? [storedEntry(event, storedRecord(entry) ?? causeOf(entry))] : []
}

type AnyRewrite = (event: BrokerEvent, clock: ResetClock) => BrokerEvent | undefined

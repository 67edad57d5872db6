import type { BrokerEvent, Instant } from '@quipu/core'
import type { Entry, Journal } from '../journal/journal.ts'
import { causeOf, entryOf, eventOf, kindOf, recordOf } from '../journal/stored-event.ts'
import { NotApplied } from '../process/not-applied.ts'
import type { World } from '../world/world.ts'
import type { WithAsk } from './ask-world.ts'
import type { DurableWorld } from './durable.ts'
import type { SharedByWorlds } from './open-entry.ts'
import { type OpenedWorld, type Origin, openVirtual, type SharedParts } from './open-virtual.ts'
import { storeOf } from './virtual-store.ts'
import type { WorldEntry } from './world-entry.ts'

/** Events of accounts, users, apps and keys. They stay after a reset. */
const KEPT: ReadonlySet<BrokerEvent['kind']> = new Set([
  'partnerAdded',
  'accountOpened',
  'keyIssued',
  'keyLimited',
  'keyRevoked',
  'userAdded',
  'userChanged',
  'userRemoved',
  'appRegistered',
])

/** Closes a world and opens it again at its origin. Returns undefined if it was deleted meanwhile. */
export async function resetEntry(
  { parts, credentials }: SharedByWorlds,
  entry: WorldEntry & { readonly origin: Origin },
  isListed: () => boolean,
): Promise<WorldEntry | undefined> {
  const { world, origin, storage } = entry
  const { opened, durable } = await openAtOrigin(parts, entry)
  try {
    if (isListed()) await durable?.created(origin)
  } catch (error) {
    await opened.world.close()
    throw error
  }
  if (!isListed()) {
    await opened.world.close()
    await durable?.deleteJournal()
    return undefined
  }
  // What cannot be deleted now is deleted later.
  await storage?.deleteJournal().catch((error) => parts.failed(world.id, error))
  return { ...entry, ...opened, storage: durable, unregister: credentials.replaceWorld(world, opened.world) }
}

/** Closes a world and opens it again at its origin, with a new journal. */
async function openAtOrigin(
  parts: SharedParts & WithAsk,
  { world, origin, parent, storage }: WorldEntry & { readonly origin: Origin },
): Promise<{ readonly opened: OpenedWorld; readonly durable: DurableWorld | undefined }> {
  const settings = world.view.settings!
  const journal = await closeAtOrigin(world, origin)
  const durable = storage?.successor()
  await durable?.fill(journal)
  const store = durable?.store(settings) ?? (await storeOf(settings, journal, origin.fork))
  const { at: start, loaded } = origin
  return {
    opened: await openVirtual(parts, { id: world.id, start, store, parent, loaded, durable }),
    durable,
  }
}

/** Closes a world. Returns the journal that it begins again with; requests are not applied from now on. */
async function closeAtOrigin(world: World, origin: Origin): Promise<Journal> {
  let journal: Journal | undefined
  await world.close(async (last) => {
    journal = await journalAtOrigin(last, origin)
  })
  // The journal of the world failed just now.
  if (!journal) throw new NotApplied('worldRestarting')
  return journal
}

/** A journal in memory with the events up to the origin, and the later events that stay, at the time of the origin. */
async function journalAtOrigin(journal: Journal, { seq }: Pick<Origin, 'seq'>): Promise<Journal> {
  const renewed = await journal.fork(seq)
  let at: Instant | undefined
  const kept: Entry[] = []
  for await (const entries of journal.read(seq - 1))
    for (const entry of entries) {
      // The first entry is the last one of the origin.
      if (at === undefined) at = eventOf(entry).at
      else if (isKept(entry)) kept.push(movedTo((at = (at + 1n) as Instant), entry))
    }
  if (kept.length > 0) await renewed.append(kept)
  return renewed
}

/** A key that expired is valid again, because its time has not come yet. */
function isKept(entry: Entry): boolean {
  if (!KEPT.has(kindOf(entry))) return false
  const event = eventOf(entry)
  return event.kind !== 'keyRevoked' || !event.expired
}

const movedTo = (at: Instant, entry: Entry): Entry =>
  entryOf({ ...eventOf(entry), at }, recordOf(entry) ?? causeOf(entry))

import type { WorldId } from '@quipu/core'
import { AppendFailed } from '../../journal/journal.ts'
import { notAppliedBecause, notAppliedWithoutStore } from '../../journal/not-applied.ts'
import type { DurableWorld } from '../durable.ts'
import type { ListedWorld, WorldEntry } from '../world-entry.ts'
import type { SharedByWorlds } from '../world-list.ts'
import type { WorldNames } from '../world-names.ts'
import { isTakenWorld } from './unfinished.ts'

/**
 * The error of a change of a stored world that was not applied: without the database, or without its lease. Events that
 * may be stored in a journal without a record belong to no world.
 */
export function withoutStore(error: unknown): never {
  if (isTakenWorld(error) || error instanceof AppendFailed) throw notAppliedBecause(error)
  throw notAppliedWithoutStore(error)
}

export type ReopenParts = Pick<SharedByWorlds, 'list' | 'unfinished' | 'parts'> & {
  readonly names: WorldNames
  /** Whether this process is a node of a cluster. */
  readonly isNode: () => boolean
  /** Opens a closed world as it is stored; undefined if it was deleted. */
  readonly open: (entry: ListedWorld) => Promise<WorldEntry | undefined>
}

/** Deletes a world. It is closed first, and stays in the list until nothing of it is stored. */
export async function deleteOpen(reopen: ReopenParts, entry: WorldEntry): Promise<void> {
  const { world, storage, held } = entry
  world.status.ending = 'deleted'
  const failed = (error: unknown) => reopen.parts.failed(world.id, error)
  await world.close().catch(failed)
  await storage?.delete(failed).catch((error) => failedWhileClosed(reopen, entry, error))
  reopen.list.delete(world.id)
  await held.end()
}

/** Deletes a world that could not be opened. */
export async function deleteUnopened(
  { parts }: ReopenParts,
  id: WorldId,
  storage: DurableWorld,
): Promise<void> {
  await storage.delete((error) => parts.failed(id, error)).catch(withoutStore)
}

/** After a failure that has left a listed world closed: it is opened again as it is stored then. Throws the failure. */
export async function failedWhileClosed(
  reopen: ReopenParts,
  { world, held }: WorldEntry,
  error: unknown,
): Promise<never> {
  const listed = reopen.list.get(world.id)
  // Any node opens it.
  if (reopen.isNode()) await held.end()
  else if (listed && isStored(listed)) openAgain(reopen, listed)
  return withoutStore(error)
}

const isStored = (entry: WorldEntry): entry is ListedWorld => entry.storage !== undefined

/**
 * Opens a world again whose reset or deletion has failed and left it closed. Until then it stays in the list, and its
 * requests are not applied.
 */
function openAgain(reopen: ReopenParts, entry: ListedWorld): void {
  const { list, names, unfinished } = reopen
  const { id } = entry.world
  unfinished.retry(id, async () => {
    while (names.isOpening(id)) await names.untilOpened(id)
    if (list.get(id) === entry) await names.reserve(id, () => openNow(reopen, entry))
  })
}

async function openNow({ list, parts, open }: ReopenParts, entry: ListedWorld): Promise<void> {
  const { world, held, storage } = entry
  if (await open(entry)) return
  // The database has applied the deletion, and its response was lost.
  list.delete(world.id)
  await held.end(() => storage.journal.delete((error) => parts.failed(world.id, error)))
  parts.deleted?.(world.id)
}

import type { Credentials } from '../access/credentials.ts'
import type { World } from '../world/world.ts'
import type { WithAsk } from './ask-world.ts'
import { DurableWorld, type WorldRecord } from './durable.ts'
import type { Followings } from './following.ts'
import type { MainParts } from './open-main.ts'
import { foreignIds, type NewWorld, openVirtual } from './open-virtual.ts'
import { type Creating, MAIN, type WorldEntry, type WorldsParts } from './world-entry.ts'

/** What all worlds of a process share. */
export type SharedByWorlds = {
  readonly parts: WorldsParts & WithAsk
  readonly credentials: Credentials
  readonly followings: Followings
}

/** Opens a durable world of an earlier process. */
export async function openStored(
  { parts, credentials }: SharedByWorlds,
  record: WorldRecord,
  main: MainParts,
): Promise<WorldEntry> {
  const { world: id, parent, partner, now: start, origin } = record
  const storage = DurableWorld.reopen(parts.durable!, record)
  const store = storage.store(main.settings)
  const isWall = record.clock === 'wall'
  const market = followedMarket(storage, main)
  const wanted = { id, parent, start, store, loaded: origin.loaded, durable: storage, isWall, market }
  const opened = await openVirtual(parts, wanted)
  const foreign = await foreignIds(opened.world.journal, origin.loaded)
  const unregister = credentials.addWorld(opened.world, foreign)
  return { ...opened, durable: true, parent, partner, origin, storage, unregister }
}

/** Opens and completes a new world. */
export async function openNewEntry(
  { parts, credentials, followings }: SharedByWorlds,
  wanted: NewWorld,
  { complete, partner }: Creating,
  main: MainParts,
): Promise<WorldEntry> {
  const { start, parent, fork, loaded, durable } = wanted
  const opened = await openVirtual(parts, { ...wanted, market: followedMarket(durable, main) })
  const { world } = opened
  const unregister = credentials.addWorld(world, await foreignIds(world.journal, loaded))
  try {
    await prepareMarket(world, durable, followings)
    await complete?.(world)
    await durable?.created({ at: start, seq: world.view.seq, loaded })
  } catch (error) {
    unregister()
    await world.close()
    throw error
  }
  const origin = { at: start, seq: world.view.seq, fork, loaded }
  return { ...opened, durable: !!durable, storage: durable, parent, partner, origin, unregister }
}

/** A world that follows `main` has the prices of the provider, if `main` has them. */
const followedMarket = (durable: DurableWorld | undefined, { market }: MainParts): MainParts['market'] =>
  durable?.follows === MAIN ? market : undefined

/** A following world has the market of the followed one before its first account. A copy of it follows no more. */
async function prepareMarket(
  world: World,
  durable: DurableWorld | undefined,
  followings: Followings,
): Promise<void> {
  if (!world.view.followed) return
  if (durable?.follows === undefined) await world.submit({ kind: 'endFollowing' }, () => undefined)
  else await followings.of(world, durable.follows).copy()
}

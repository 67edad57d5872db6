import type { WorldSettings } from '@quipu/core'
import { type Addresses, addressNotStored } from '../../access/addresses.ts'
import { MAIN_CODE } from '../../access/world-code.ts'
import { WallClock } from '../../clock/wall.ts'
import { openWorld, type World, type WorldParts } from '../../world/world.ts'
import { mainSender, type WithAsk, withJournals } from '../ask-world.ts'
import { outcomesOf } from '../virtual-store.ts'
import { MAIN, type MainStore, type WorldsParts } from '../world-entry.ts'
import type { Held } from './held.ts'

export { MAIN } from '../world-entry.ts'

/** How `main` is opened. */
export type MainParts = {
  readonly settings: WorldSettings
  readonly store: MainStore
  readonly durable: boolean
  /** The market of `main` and of the worlds that follow it, if a provider has its prices. Forks do not have it. */
  readonly market?: WorldParts['market'] | undefined
}

/** Opens `main`, which runs on the wall clock. */
export async function openMain(
  parts: WorldsParts & WithAsk,
  held: Held,
  main: MainParts,
  addresses: Addresses,
): Promise<World> {
  const { openJournal, openQueryTables, snapshot } = main.store
  const failed = (error: unknown) => parts.failed(MAIN, error)
  const world = await openWorld({
    ...parts,
    openJournal,
    openQueryTables,
    snapshot,
    // Other worlds do not wait for the disk: at worst an address is missing in their audit log.
    prepared: () => addresses.stored()?.catch(addressNotStored),
    market: main.market ?? ((settings, state) => parts.market(settings, state, MAIN)),
    id: MAIN,
    code: MAIN_CODE,
    settings: main.settings,
    clock: new WallClock(failed),
    outcomes: outcomesOf(parts.outcomes, main.store, main.durable),
    runJob: withJournals(parts.runJob, parts.askWorld, main.durable ? mainSender : undefined),
    failed,
  })
  held.begun(() => world.close())
  world.access.hasOperators = true
  return world
}

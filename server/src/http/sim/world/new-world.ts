import { issueKey, type SeededWorld } from '@quipu/broker/access/issue-keys.ts'
import { notAppliedWithoutStore } from '@quipu/broker/journal/not-applied.ts'
import type { Keeping } from '@quipu/broker/registry/durable.ts'
import { MAIN, type Worlds } from '@quipu/broker/registry/worlds.ts'
import type { World } from '@quipu/broker/world/world.ts'
import type { WorldId } from '@quipu/core'
import { refuse } from '../../../wire/refusal.ts'
import type { Context } from '../../context.ts'
import { customersOf } from './world-wire.ts'

/**
 * Refuses a durable world if this server keeps nothing, or if there are as many as allowed, on all nodes of a cluster.
 * Reads the names there, because another node may have created or deleted a world just now.
 */
export async function checkDurable(
  { services: { cluster } }: Context,
  worlds: Worlds,
  isDurable = false,
): Promise<void> {
  await cluster?.view.read()
  if (!isDurable) return
  const limit = worlds.capacity.durableMax
  if (limit === undefined) throw refuse({ code: 'nothingDurable' })
  const count = await worlds.capacity.durableCount().catch((error) => {
    throw notAppliedWithoutStore(error)
  })
  if (count >= limit) throw refuse({ code: 'durableLimitReached', limit })
}

/** Not async, so that no other request takes the name before the world is created. */
export function newName(worlds: Worlds, name: string | undefined, isDurable = false): WorldId {
  // Credentials of a world that is not durable lead to the node that holds `main`.
  if (!isDurable && !worlds.get(MAIN))
    throw refuse({
      code: 'invalidParameter',
      problem:
        'durable: expected true, because worlds in memory are on the node that holds main, and this world is not: ' +
        'move it there first (quipu cluster move), or keep the fork',
    })
  if (worlds.capacity.isFull) throw refuse({ code: 'worldLimitReached', limit: worlds.capacity.max })
  if (name === undefined) return worlds.names.unused()
  if (worlds.names.isTaken(name)) throw refuse({ code: 'worldNameTaken', world: name })
  return name as WorldId
}

/**
 * The partner of `main` that a new world belongs to, and whether the world is durable. An operator of another world acts
 * for the partner of that world.
 */
export function creationOf(
  worlds: Worlds,
  { partner: { world, partnerId } }: Context,
  isDurable = false,
): Keeping {
  return { partner: world.id === MAIN ? partnerId : worlds.entry(world.id)?.partner, isDurable }
}

export type NewKeys = Omit<SeededWorld, 'app'>

/** A fork or loaded world has accounts, but needs new keys. */
export async function newKeys(world: World): Promise<NewKeys> {
  const [partner] = world.view.partners.values()
  if (!partner) throw new Error('bug: a world without a partner')
  const accounts = []
  for (const account of customersOf(world))
    accounts.push({ account, ...(await issueKey(world, { kind: 'account', accountId: account.id })) })
  const partnerKey = await issueKey(world, { kind: 'partner', partnerId: partner.id, operator: false })
  return { partnerId: partner.id, partnerKey, accounts }
}

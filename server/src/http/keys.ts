import type { Handlers, OutputOf } from '@quipu/contract'
import { type AccountId, formatInstant, type Key, type KeyId, type KeyOwner } from '@quipu/core'
import { issueKey } from '../furnish.ts'
import type { World } from '../world.ts'
import type { Worlds } from '../worlds.ts'
import type { Context } from './context.ts'
import { refuse } from './refusal.ts'

export function keyHandlers(worlds: Worlds): Pick<Handlers<Context>, 'listKeys' | 'createKey' | 'deleteKey'> {
  const inWorld = (name: string, context: Context): World => {
    const world = worlds.get(name)
    if (!world) throw refuse({ code: 'worldNotFound', world: name })
    context.world = world
    return world
  }
  return {
    async listKeys({ params }, context) {
      const world = inWorld(params.world, context)
      return context.saw(
        world,
        world.read((view) => [...view.keys.values()].map(keyToWire)),
      )
    },

    async createKey({ params, body }, context) {
      const world = inWorld(params.world, context)
      const owner = ownerOf(world, body.kind, body.account_id)
      const { keyId, secretKey } = await issueKey(world, owner)
      return { ...keyToWire(world.view.keys.get(keyId as KeyId)!), secret_key: secretKey }
    },

    async deleteKey({ params }, context) {
      const world = inWorld(params.world, context)
      const decision = await context.saw(
        world,
        world.submit({ kind: 'revokeKey', keyId: params.key_id as KeyId }, (_, decided) => decided),
      )
      if (!decision.ok) throw refuse(decision.reason)
      return undefined
    },
  }
}

function ownerOf(world: World, kind: 'account' | 'partner' | 'operator', accountId?: string): KeyOwner {
  if (kind === 'account') {
    const [first] = world.view.accounts.keys()
    const wanted = (accountId as AccountId | undefined) ?? first
    if (!wanted || !world.view.accounts.has(wanted)) throw refuse({ code: 'accountNotFound' })
    return { kind: 'account', accountId: wanted }
  }
  const [partnerId] = world.view.partners.keys()
  if (!partnerId) throw refuse({ code: 'partnerNotFound' })
  return { kind: 'partner', partnerId, operator: kind === 'operator' }
}

function keyToWire({ id, owner, createdAt }: Key): OutputOf<'listKeys'>[number] {
  return {
    key_id: id,
    kind: owner.kind === 'account' ? 'account' : owner.operator ? 'operator' : 'partner',
    ...(owner.kind === 'account' ? { account_id: owner.accountId as string } : {}),
    created_at: formatInstant(createdAt),
  }
}

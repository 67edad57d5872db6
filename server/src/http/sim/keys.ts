import type { Handlers, InputOf, OutputOf } from '@quipu/contract'
import {
  type AccountId,
  formatInstant,
  type Instant,
  type Key,
  type KeyId,
  type KeyOwner,
  type PartnerId,
  type View,
} from '@quipu/core'
import { issueKey, issueSigningKey } from '../../access/issue-keys.ts'
import { publicKeyOf } from '../../access/public-key.ts'
import { keyTimesToWire } from '../../wire/broker-wire.ts'
import { instantOf } from '../../wire/moments.ts'
import { refuse } from '../../wire/refusal.ts'
import type { World } from '../../world/world.ts'
import type { Worlds } from '../../worlds/worlds.ts'
import type { Context } from '../context.ts'

export function keyHandlers(worlds: Worlds): Pick<Handlers<Context>, 'listKeys' | 'createKey' | 'deleteKey'> {
  const inWorld = (name: string, context: Context): World => {
    const world = worlds.get(name)
    if (!world) throw refuse({ code: 'worldNotFound', world: name })
    context.world = world
    return world
  }
  const lastUse = (world: World, { id }: Key) => worlds.keyUses.lastUse(world, id)
  return {
    async listKeys({ params }, context) {
      const world = inWorld(params.world, context)
      return context.resultOf(
        world,
        world.read((view) =>
          Array.from(view.keys.values(), (key) => keyToWire(view, key, lastUse(world, key))),
        ),
      )
    },

    async createKey({ params, body }, context) {
      const world = inWorld(params.world, context)
      const owner = ownerOf(world, body)
      const ends = endOf(world, body)
      const made =
        body.public_key === undefined
          ? await issueKey(world, owner, undefined, ends)
          : await signing(world, owner, body, ends)
      const key = await context.resultOf(
        world,
        world.read((view) => view.keys.get(made.keyId as KeyId)),
      )
      // Someone may have withdrawn it in the meantime.
      if (!key) throw refuse({ code: 'keyNotFound', keyId: made.keyId })
      return { ...keyToWire(world.view, key), ...('secretKey' in made ? { secret_key: made.secretKey } : {}) }
    },

    async deleteKey({ params }, context) {
      const world = inWorld(params.world, context)
      const decision = await context.resultOf(
        world,
        world.submit({ kind: 'revokeKey', keyId: params.key_id as KeyId }, (_, decided) => decided),
      )
      if (!decision.ok) throw refuse(decision.reason)
      return undefined
    },
  }
}

type NewKey = InputOf<'createKey'>['body']

function ownerOf(world: World, { kind, account_id: accountId, partner_id: named }: NewKey): KeyOwner {
  if (kind === 'account') {
    const [first] = world.view.accounts.keys()
    const wanted = (accountId as AccountId | undefined) ?? first
    if (!wanted || !world.view.accounts.has(wanted)) throw refuse({ code: 'accountNotFound' })
    return { kind: 'account', accountId: wanted }
  }
  const [first] = world.view.partners.keys()
  const partnerId = (named as PartnerId | undefined) ?? first
  if (!partnerId || !world.view.partners.has(partnerId)) throw refuse({ code: 'partnerNotFound' })
  return { kind: 'partner', partnerId, operator: kind === 'operator' }
}

async function signing(
  world: World,
  owner: KeyOwner,
  { kind, public_key: given }: NewKey,
  ends: ReturnType<typeof endOf>,
) {
  const read = publicKeyOf(given)
  const expected = 'expected none with a key of an account'
  const problem = kind === 'account' ? expected : 'problem' in read ? read.problem : undefined
  if (problem !== undefined || 'problem' in read)
    throw refuse({ code: 'invalidParameter', problem: `public_key: ${problem}` })
  return { keyId: await issueSigningKey(world, owner, { publicKey: read.jwk, ...ends }) }
}

/** When a new key is to end: after now, by the clock of its world. */
export function endOf(
  world: World,
  { expires_at: moment }: Pick<NewKey, 'expires_at'>,
): { readonly expiresAt?: Instant } {
  if (moment === undefined) return {}
  const expiresAt = instantOf(moment)
  if (expiresAt > world.latest) return { expiresAt }
  const problem = `expires_at: expected a time after ${formatInstant(world.latest)}, received ${formatInstant(expiresAt)}`
  throw refuse({ code: 'invalidParameter', problem })
}

function keyToWire(view: View, key: Key, lastUse?: Instant): OutputOf<'listKeys'>[number] {
  const { id, owner, publicKey, createdAt } = key
  return {
    key_id: id,
    kind: owner.kind === 'account' ? 'account' : owner.operator ? 'operator' : 'partner',
    ...(owner.kind === 'account'
      ? { account_id: owner.accountId as string }
      : partnerToWire(view, owner.partnerId)),
    ...(publicKey === undefined ? {} : { public_key: JSON.parse(publicKey) }),
    created_at: formatInstant(createdAt),
    ...keyTimesToWire(key, lastUse),
  }
}

/** An external issuer calls back as a partner of its own. */
function partnerToWire({ issuers }: View, partnerId: PartnerId) {
  const issuer = [...issuers.values()].find((one) => one.partnerId === partnerId)
  return { partner_id: partnerId as string, ...(issuer ? { issuer: issuer.code as string } : {}) }
}

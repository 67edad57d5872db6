import { execute, issueKey, issueSigningKey } from '@quipu/broker/access/issue-keys.ts'
import { publicKeyOf } from '@quipu/broker/access/public-key.ts'
import type { Worlds } from '@quipu/broker/registry/worlds.ts'
import type { World } from '@quipu/broker/world/world.ts'
import type { InputOf, OutputOf } from '@quipu/contract'
import type { AccountId, Instant, Key, KeyOwner, Partner, View } from '@quipu/core'
import { formatInstant, found, lookUp } from '@quipu/core/values'
import { keyTimesToWire } from '../../wire/broker-wire.ts'
import { instantOf } from '../../wire/moments.ts'
import { refuse } from '../../wire/refusal.ts'
import type { Context, SomeHandlers } from '../context.ts'
import { type Reader, readerOf } from '../reading/reader.ts'
import { withWorld } from './world-named.ts'

export function keyHandlers(worlds: Worlds) {
  const lastUse = (world: World, { id }: Key) => worlds.access.keyUses.lastUse(world, id)
  return {
    async listKeys({ params }, context) {
      const { world, limitedTo } = readerOf(context, params.world)
      return context.state.read(world, (view) =>
        keysOf(view, limitedTo).map((key) => keyToWire(view, key, lastUse(world, key))),
      )
    },

    async createKey({ params, body }, context) {
      const { world, limitedTo } = keeperOf(context, params.world)
      const owner = limitedTo === undefined ? ownerOf(world, body) : accountOwner(world, limitedTo, body)
      const expiry = keyExpiry(world, body)
      const pair =
        body.public_key === undefined
          ? await issueKey(world, owner, undefined, expiry)
          : await issueWithPublicKey(world, owner, body, expiry)
      const key = await context.state.read(world, (view) => lookUp(view.keys, pair.keyId))
      // Another request may have revoked the key in the meantime.
      if (!key) throw refuse({ code: 'keyNotFound', keyId: pair.keyId })
      return { ...keyToWire(world.view, key), secret_key: pair.secretKey }
    },

    async deleteKey({ params }, context) {
      const { world, limitedTo } = keeperOf(context, params.world)
      const keyId = params.key_id
      const key = world.view.keys.get(keyId)
      if (limitedTo !== undefined && !(key && isKeyOf(key, limitedTo)))
        throw refuse({ code: 'keyNotFound', keyId })
      await context.state.execute(world, { kind: 'revokeKey', keyId, keepsOperator: true })
    },
  } satisfies SomeHandlers
}

/** A user can add keys until the account has this many. Operators have no limit. */
export const KEYS_OF_ACCOUNT_MAX = 50

const isKeyOf = ({ owner }: Key, accountId: AccountId): boolean =>
  owner.kind === 'account' && owner.accountId === accountId

const keysOf = ({ keys }: View, limitedTo: AccountId | undefined): readonly Key[] =>
  [...keys.values()].filter((key) => limitedTo === undefined || isKeyOf(key, limitedTo))

/** The caller who changes keys. A stolen key must not create others, which would outlive it, nor delete those of the owner. */
function keeperOf(context: Context, world: string): Reader {
  const { caller } = context
  if (caller?.kind === 'account' && caller.session === undefined) throw refuse({ code: 'keyNeedsSession' })
  return readerOf(context, world)
}

/** A user creates keys that have the rights of the own account, no others. */
function accountOwner(world: World, accountId: AccountId, body: NewKey): KeyOwner {
  if (body.kind !== 'account' || body.partner_id !== undefined) throw refuse({ code: 'forbidden' })
  if (body.account_id !== undefined && body.account_id !== accountId)
    throw refuse({ code: 'accountNotFound' })
  if (keysOf(world.view, accountId).length >= KEYS_OF_ACCOUNT_MAX)
    throw refuse({ code: 'keyLimitReached', limit: KEYS_OF_ACCOUNT_MAX })
  return { kind: 'account', accountId }
}

type NewKey = InputOf<'createKey'>['body']

function ownerOf(world: World, { kind, account_id: accountId, partner_id: requested }: NewKey): KeyOwner {
  if (kind === 'account') {
    const [first] = world.view.accounts.keys()
    const id = accountId ?? first
    if (!id || !world.view.accounts.has(id)) throw refuse({ code: 'accountNotFound' })
    return { kind: 'account', accountId: id }
  }
  if ((kind === 'operator' || kind === 'auditor') && !world.access.hasOperators) {
    const problem = 'kind: expected account or partner, because only keys of main have rights over the server'
    throw refuse({ code: 'invalidParameter', problem })
  }
  const [first] = world.view.partners.keys()
  const partnerId = requested ?? first
  if (!partnerId || !world.view.partners.has(partnerId)) throw refuse({ code: 'partnerNotFound' })
  if (kind === 'auditor') return { kind: 'auditor', partnerId }
  return { kind: 'partner', partnerId, operator: kind === 'operator' }
}

async function issueWithPublicKey(
  world: World,
  owner: KeyOwner,
  { kind, public_key: text }: NewKey,
  expiry: ReturnType<typeof keyExpiry>,
) {
  const read = publicKeyOf(text)
  const notAllowed = 'expected none for a key of an account'
  const problem = kind === 'account' ? notAllowed : 'problem' in read ? read.problem : undefined
  if (problem !== undefined || 'problem' in read)
    throw refuse({ code: 'invalidParameter', problem: `public_key: ${problem}` })
  const keyId = await issueSigningKey(world, owner, { publicKey: read.jwk, ...expiry })
  return { keyId, secretKey: undefined }
}

/** The expiry of a new key, which must be later than the clock of its world. */
export function keyExpiry(
  world: World,
  { expires_at: moment }: Pick<NewKey, 'expires_at'>,
): { readonly expiresAt?: Instant } {
  if (moment === undefined) return {}
  const expiresAt = instantOf(moment)
  if (expiresAt > world.engine.latest) return { expiresAt }
  const problem = `expires_at: expected a time after ${formatInstant(world.engine.latest)}, received ${formatInstant(expiresAt)}`
  throw refuse({ code: 'invalidParameter', problem })
}

function keyToWire(view: View, key: Key, lastUse?: Instant): OutputOf<'listKeys'>[number] {
  const { id, owner, publicKey, createdAt } = key
  const partnerId = owner.kind === 'account' ? undefined : owner.partnerId
  return {
    key_id: id,
    kind: kindOf(owner),
    account_id: owner.kind === 'account' ? owner.accountId : undefined,
    partner_id: partnerId,
    issuer: partnerId && view.partners.get(partnerId)?.issuer,
    public_key: publicKey === undefined ? undefined : JSON.parse(publicKey),
    created_at: formatInstant(createdAt),
    ...keyTimesToWire(key, lastUse),
  }
}

const kindOf = (owner: KeyOwner): OutputOf<'listKeys'>[number]['kind'] =>
  owner.kind === 'partner' && owner.operator ? 'operator' : owner.kind

export const partnerHandlers = withWorld({
  listPartners: ({ world }, context) =>
    context.state.read(world, (view) =>
      [...view.partners.values()].map((partner) => partnerToWire(view, partner)),
    ),

  createPartner: async ({ world, body }, context) => {
    const { partnerId } = await execute(world, { kind: 'addPartner', name: body.name }, 'partnerAdded')
    const { keyId, secretKey } = await issueKey(world, { kind: 'partner', partnerId, operator: false })
    const partner = await context.state.read(world, (view) =>
      partnerToWire(view, found(view.partners.get(partnerId), partnerId)),
    )
    return { ...partner, key_id: keyId, secret_key: secretKey }
  },
})

/** Custody accounts of issuers are not counted. */
function partnerToWire(view: View, { id, name, createdAt }: Partner): OutputOf<'listPartners'>[number] {
  let accounts = 0
  for (const { partnerId, issuer } of view.accounts.values())
    if (partnerId === id && issuer === undefined) accounts += 1
  return { partner_id: id, name, accounts, created_at: formatInstant(createdAt) }
}

import { execute, issueKey, openAccount } from '@quipu/broker/access/issue-keys.ts'
import type { World } from '@quipu/broker/world/world.ts'
import type { InputOf, OutputOf } from '@quipu/contract'
import {
  type AccountId,
  definedFields,
  found,
  type Issuer,
  type IssuerAuth,
  type IssuerCode,
  type IssuerResponse,
  type IssuerUrls,
  type KeyId,
  type Link,
  type ListedToken,
  later,
  linkKey,
  NO_MONEY,
  type PartnerId,
  type RegisterIssuer,
  SECOND,
  type StoreSigningKey,
} from '@quipu/core'
import { behaviourFrom, issuerToWire, linkToWire, listingFrom } from '../../wire/issuer-wire.ts'
import { refuse } from '../../wire/refusal.ts'
import type { Context, SomeHandlers } from '../context.ts'
import { withWorld } from '../sim/world-named.ts'

type SigningKey = Omit<StoreSigningKey, 'kind'>

/** The URLs and credentials to call an issuer. */
type IssuerAddress = {
  readonly urls: IssuerUrls
  readonly auth: IssuerAuth
  readonly apiKey?: string
  readonly signingKey?: SigningKey
}

/** Calls to external issuers, and the keys that sign them. */
export type IssuerParts = {
  tokensOf(address: IssuerAddress): Promise<IssuerResponse<{ readonly listings: readonly ListedToken[] }>>
  newSigningKey(now: Date): SigningKey
  /** The issuers of a new world. */
  readonly builtinIssuers: readonly Pick<RegisterIssuer, 'code' | 'name' | 'listings'>[]
}

/** Operators register issuers, control the built-in ones and link accounts to them. */
export const issuerHandlers = (parts: IssuerParts) =>
  ({
    ...listHandlers,
    ...linkHandlers,
    ...withWorld({
      createIssuer: ({ world, body }, context) => createIssuer(parts, context, world, body),

      createSigningKey: async ({ world }) => {
        const { keyId, publicKey } = await signingKeyOf(parts, world)
        return { signing_key_id: keyId, public_key: publicKey }
      },

      restoreIssuer: async ({ world, params, body }, context) => {
        const code = params.issuer
        const known = world.view.issuers.get(code)
        if (!known) throw refuse({ code: 'issuerNotFound', issuer: code })
        const builtin = parts.builtinIssuers.find((one) => one.code === code)
        if (!builtin) throw refuse({ code: 'issuerNotBuiltin', issuer: code })
        if (known.mode === 'builtin') return issuerToWire(known)
        const { accountId, partnerId } = known
        const issuer = await register(context, world, { kind: 'registerIssuer', ...builtin, accountId })
        if (partnerId) await endKeys(world, keysOf(world, partnerId), body.grace_seconds)
        return issuerToWire(issuer)
      },

      refreshIssuer: ({ world, params }, context) => refreshIssuer(parts, context, world, params.issuer),
    }),
  }) satisfies SomeHandlers

const listHandlers = withWorld({
  listIssuers: ({ world }, context) =>
    context.state.read(world, (view) => [...view.issuers.values()].map(issuerToWire)),

  changeIssuer: async ({ world, params, body }, context) => {
    const issuer = params.issuer
    await context.state.execute(world, { kind: 'setBehaviour', issuer, behaviour: behaviourFrom(body) })
    return issuerToWire(found(world.view.issuers.get(issuer), issuer))
  },
})

const linkHandlers = withWorld({
  listIssuerLinks: ({ world }, context) =>
    context.state.read(world, (view) => [...view.links.values()].map(linkToWire)),

  createIssuerLink: async ({ world, body }, context) => {
    const pair = { accountId: body.account_id, issuer: body.issuer }
    const { email, external_id: externalId } = body
    if (email !== undefined && externalId !== undefined)
      throw refuse({ code: 'invalidParameter', problem: 'only one of email and external_id may be given' })
    const link: Link =
      externalId === undefined ? { ...pair, kind: 'affiliated' } : { ...pair, kind: 'handshake', externalId }
    await context.state.execute(
      world,
      email === undefined ? { kind: 'linkAccount', link } : { kind: 'requestLink', ...pair, email },
    )
    return linkToWire(found(world.view.links.get(linkKey(pair.accountId, pair.issuer)), 'the link'))
  },

  deleteIssuerLink: async ({ world, params }, context) => {
    const accountId = params.account_id
    const issuer = params.issuer
    await context.state.execute(world, { kind: 'unlinkAccount', accountId, issuer })
  },
})

type Body = InputOf<'createIssuer'>['body']

/** Registers an external issuer and issues its key; earlier keys end after the grace period. */
async function createIssuer(
  parts: IssuerParts,
  context: Context,
  world: World,
  body: Body,
): Promise<OutputOf<'createIssuer'>> {
  const address = await addressOf(parts, world, body)
  const listings = body.tokens?.map(listingFrom) ?? (await listingsFrom(parts, body.issuer, address))
  const code = body.issuer
  const name = body.name ?? world.view.issuers.get(code)?.name ?? body.issuer
  const partnerId = await partnerFor(world, code, name)
  const { urls, auth, apiKey, signingKey } = address
  const command: RegisterIssuer = {
    kind: 'registerIssuer',
    code,
    name,
    accountId: await accountFor(world, code, partnerId),
    listings,
    external: { partnerId, urls, auth, ...definedFields({ apiKey }) },
    redemptionWallets: new Map(Object.entries(body.redemption_wallets)),
  }
  const issuer = await register(context, world, command)
  const earlier = keysOf(world, partnerId)
  const { keyId, secretKey } = await issueKey(world, { kind: 'partner', partnerId, operator: false })
  await endKeys(world, earlier, body.grace_seconds)
  return {
    ...issuerToWire(issuer),
    key_id: keyId,
    secret_key: secretKey,
    signing_key_id: signingKey?.keyId,
    public_key: signingKey?.publicKey,
  }
}

/** Reads the tokens of an external issuer again. */
async function refreshIssuer(
  parts: IssuerParts,
  context: Context,
  world: World,
  code: IssuerCode,
): Promise<OutputOf<'refreshIssuer'>> {
  const issuer = world.view.issuers.get(code)
  if (!issuer) throw refuse({ code: 'issuerNotFound', issuer: code })
  const { urls, auth = 'apiKey', partnerId, name, accountId, redemptionWallets } = issuer
  if (!urls?.tokens || !partnerId) throw refuse({ code: 'issuerHasNoAddress', issuer: code, what: 'tokens' })
  const apiKey = world.view.issuerKeys.get(code)
  const address = { urls, auth, ...definedFields({ apiKey, signingKey: world.view.signingKey }) }
  const listings = await listingsFrom(parts, code, address)
  const external = { partnerId, urls, auth, ...definedFields({ apiKey }) }
  const command = { kind: 'registerIssuer', code, name, accountId, listings, external } as const
  return issuerToWire(await register(context, world, { ...command, ...definedFields({ redemptionWallets }) }))
}

/** The URLs and authentication of an issuer: its API key, or a signing key that is generated on first use. */
async function addressOf(parts: IssuerParts, world: World, body: Body): Promise<IssuerAddress> {
  const urls: IssuerUrls = {
    mint: body.mint_url,
    confirm: body.confirm_url,
    ...definedFields({ connect: body.connect_url, tokens: body.tokens_url, custody: body.custody_url }),
  }
  if (body.api_key !== undefined) return { urls, auth: 'apiKey', apiKey: body.api_key }
  return { urls, auth: 'signature', signingKey: await signingKeyOf(parts, world) }
}

/** The key that signs calls to issuers. */
async function signingKeyOf({ newSigningKey }: IssuerParts, world: World): Promise<SigningKey> {
  if (!world.view.signingKey)
    await execute(world, { kind: 'storeSigningKey', ...newSigningKey(new Date()) }, 'signingKeyStored')
  return found(world.view.signingKey, 'the key')
}

async function listingsFrom(
  { tokensOf }: IssuerParts,
  issuer: string,
  address: IssuerAddress,
): Promise<readonly ListedToken[]> {
  if (address.urls.tokens === undefined)
    throw refuse({ code: 'invalidParameter', problem: 'tokens or tokens_url is required' })
  const response = await tokensOf(address).catch((error: unknown) => ({
    ok: false as const,
    reason: error instanceof Error ? error.message : String(error),
  }))
  if (!response.ok) throw refuse({ code: 'issuerUnreachable', issuer, problem: response.reason })
  return response.listings
}

/** Each external issuer calls the API as a separate partner, which stays when the issuer becomes built-in. */
async function partnerFor(world: World, code: IssuerCode, name: string): Promise<PartnerId> {
  const known = [...world.view.partners.values()].find(({ issuer }) => issuer === code)?.id
  return known ?? (await execute(world, { kind: 'addPartner', name }, 'partnerAdded')).partnerId
}

const keysOf = ({ view }: World, partnerId: PartnerId): readonly KeyId[] =>
  [...view.keys.values()]
    .filter(({ owner }) => owner.kind !== 'account' && owner.partnerId === partnerId)
    .map(({ id }) => id)

/** Revokes keys at once, or after the grace period by the clock of the world. A refusal means the key is already revoked. */
async function endKeys(world: World, keys: readonly KeyId[], graceSeconds: number): Promise<void> {
  for (const keyId of keys) {
    const expiresAt = later(world.engine.latest, BigInt(graceSeconds) * SECOND)
    const command =
      graceSeconds === 0
        ? ({ kind: 'revokeKey', keyId } as const)
        : ({ kind: 'limitKey', keyId, expiresAt } as const)
    await world.commands.submit(command, (_, decided) => decided)
  }
}

const NO_CASH = NO_MONEY

async function accountFor(world: World, code: IssuerCode, partnerId: PartnerId): Promise<AccountId> {
  const known = world.view.issuers.get(code)?.accountId
  return known ?? (await openAccount(world, { flavour: 'paper', partnerId, cash: NO_CASH })).id
}

async function register(context: Context, world: World, command: RegisterIssuer): Promise<Issuer> {
  await context.state.execute(world, command)
  return found(world.view.issuers.get(command.code), command.code)
}

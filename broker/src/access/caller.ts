import {
  type AccountId,
  type AppId,
  type Bearer,
  type BrowserSession,
  type Digest,
  type Flavour,
  type GrantId,
  hasExpired,
  type Key,
  type KeyOwner,
  type PartnerId,
  type SessionId,
  type User,
} from '@quipu/core'
import { lookUp } from '@quipu/core/values'
import type { Actor } from '../journal/cause.ts'
import type { World } from '../world/world.ts'

/** The caller and its world. The credential alone determines both. */
export type Caller = AccountCaller | PartnerCaller

/** The source of a token that is not an app's. Such a token may end without an event. */
type TokenSource = {
  /** Digest of the machine token. */
  readonly machine?: Digest
  /** The browser session that the token was issued to. */
  readonly session?: Pick<SignedInCaller, 'world' | 'digest'> & { readonly id: SessionId }
  /** The token allows only GET requests. */
  readonly readOnly?: boolean
  /** Set if another node of the cluster has authenticated the caller, whose credential belongs to a world of that node. */
  readonly foreign?: Actor
}

export type AccountCaller = TokenSource & {
  readonly kind: 'account'
  readonly world: World
  readonly accountId: AccountId
  /** The operator rights of the session allow the token, not the ownership of the account. */
  readonly isByOperator?: boolean
  /** Id of the key or of the token. */
  readonly credentialId: string
  /** Scopes of an OAuth token. Absent for a key, which has all rights of its account. */
  readonly scopes?: ReadonlySet<string>
  /** The grant of an OAuth token. */
  readonly grantId?: GrantId
  /** The app that holds the token. */
  readonly appId?: AppId
  /** A person of `main` has allowed the app in another world. The token ends with that person, without an event there. */
  readonly ofMain?: boolean | undefined
}

export type PartnerCaller = TokenSource & {
  readonly kind: 'partner'
  readonly world: World
  readonly partnerId: PartnerId
  readonly credentialId: string
  /** Has operator rights in every world. */
  readonly operator: boolean
  /** Reads every world and changes nothing: `mayAudit` of the contract says which operations. */
  readonly auditor: boolean
  /** The credential of an external issuer, which may call only the operations of issuers. */
  readonly isIssuer?: boolean
}

/** Whether a key is that of an external issuer. A key with rights over the server has them, whoever its partner is. */
export const isIssuer = ({ view }: World, owner: KeyOwner): boolean =>
  owner.kind === 'partner' && !owner.operator && view.partners.get(owner.partnerId)?.issuer !== undefined

/** The credential of an issuer is valid only where issuers are named: for its callbacks and its requests. No stream names them. */
export const isRefusedIssuer = (caller: Caller, who: readonly string[] = []): boolean =>
  caller.kind === 'partner' && caller.isIssuer === true && !who.includes('issuer')

/** Whether the caller reads all worlds: an operator, or an auditor. */
export const readsAllWorlds = (caller: Caller): boolean =>
  caller.kind === 'partner' && (caller.operator || caller.auditor)

/** Whether the credential allows to trade; an auditor, and a token that reads or has another scope, may not. */
export const mayTrade = (caller: Caller): boolean =>
  caller.readOnly !== true &&
  (caller.kind === 'partner' ? !caller.auditor : (caller.scopes?.has('trading') ?? true))

/**
 * The holder of the caller's credential. An app or a page can get any number of tokens, so the tokens of an app for one
 * account, or of a session, have one holder.
 */
export function holderOf(caller: Caller): string {
  if (caller.session) return caller.session.id
  if (caller.foreign?.session) return caller.foreign.session
  return caller.kind === 'account' && caller.appId
    ? `${caller.appId} ${caller.accountId}`
    : caller.credentialId
}

/** A browser with a signed-in user. */
export type SignedInCaller = {
  readonly world: World
  readonly digest: Digest
  readonly session: BrowserSession
  readonly user: User
  /** In another world than `main`, the person of `main` may have a second factor. */
  readonly hasFactor: boolean
}

/**
 * What the event streams of a caller are counted for: the holder of its credential, and its account if it has one. Operators
 * and auditors use up no streams of the accounts that they look at.
 */
export function streamOwners(caller: Caller | undefined): readonly string[] {
  if (caller === undefined) return []
  const holder = `key ${holderOf(caller)}`
  return caller.kind === 'account' && !caller.isByOperator
    ? [holder, `account ${caller.world.id} ${caller.accountId}`]
    : [holder]
}

/** Lists of scopes never change, so one set serves all requests. */
export function scopeSet(scopes: readonly string[]): ReadonlySet<string> {
  const known = scopeSets.get(scopes)
  if (known) return known
  const made = new Set(scopes)
  scopeSets.set(scopes, made)
  return made
}

const scopeSets = new WeakMap<readonly string[], ReadonlySet<string>>()

/** The live account only if live is requested, or if there is no paper account. */
export const accountOfCaller = ({ live, paper }: Bearer, flavour: Flavour): AccountId | undefined =>
  flavour === 'live' ? live : (paper ?? live)

/** Reads the clock only for keys that expire. */
export const isExpired = (world: World, key: Key): boolean =>
  key.expiresAt !== undefined && hasExpired(key, world.engine.now)

export function callerOf(world: World, { id, owner }: Key): Caller {
  return owner.kind === 'account'
    ? { kind: 'account', world, accountId: owner.accountId, credentialId: id }
    : {
        kind: 'partner',
        world,
        partnerId: owner.partnerId,
        credentialId: id,
        operator: owner.kind === 'partner' && owner.operator && world.access.hasOperators,
        auditor: owner.kind === 'auditor' && world.access.hasOperators,
        isIssuer: isIssuer(world, owner),
      }
}

/** Maximum number of cached key actors. The cache is cleared when it is full. */
const KNOWN_MAX = 10_000
const keyActors = new Map<string, Actor>()

/** The actor of a caller in the audit log. Needed only for requests that cause events. */
export function actorOf(caller: Caller): Actor {
  if (caller.foreign) return caller.foreign
  if (caller.session || caller.machine || (caller.kind === 'account' && caller.grantId))
    return buildActor(caller)
  const known = keyActors.get(caller.credentialId)
  // Two worlds may have a key with the same id, if a user chose it.
  if (known && hasSameOwner(known, caller)) return known
  const actor = buildActor(caller)
  if (keyActors.size >= KNOWN_MAX) keyActors.clear()
  keyActors.set(caller.credentialId, actor)
  return actor
}

const hasSameOwner = ({ account, partner, operator }: Actor, caller: Caller): boolean =>
  caller.kind === 'account'
    ? account === caller.accountId
    : partner === caller.partnerId && (operator ?? false) === caller.operator

function buildActor(caller: Caller): Actor {
  const { credentialId, session } = caller
  const owner = caller.kind === 'account' ? { account: caller.accountId } : partnerOf(caller)
  if (session) return { ...sessionActor(session), ...owner }
  if (caller.machine) return { kind: 'machine', key: credentialId, ...owner }
  if (caller.kind === 'account' && caller.grantId) return { ...appOf(caller), ...owner }
  return { kind: 'key', key: credentialId, ...owner }
}

const partnerOf = ({ partnerId: partner, operator }: Extract<Caller, { kind: 'partner' }>) =>
  operator ? ({ partner, operator } as const) : { partner }

/** An app acts for the user who gave consent, if there is one. */
function appOf({ world: { view }, grantId }: AccountCaller): Actor {
  const grant = lookUp(view.grants, grantId)
  const app = grant && view.apps.get(grant.appId)
  const user = grant?.userId
  return {
    kind: 'app',
    ...(app && { app: app.clientId }),
    ...(grantId && { grant: grantId }),
    ...(user && { user }),
  }
}

type SessionRef = Pick<SignedInCaller, 'world' | 'digest'>

/** A user in a browser. */
export function sessionActor({ world, digest }: SessionRef): Actor {
  const session = world.status.isUp ? world.view.sessions.get(digest) : undefined
  return { kind: 'user', ...(session && { user: session.userId, session: session.id }) }
}

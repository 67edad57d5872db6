import { hash, timingSafeEqual } from 'node:crypto'
import {
  bearerOf,
  type Digest,
  type Flavour,
  hasId,
  isOpenAccount,
  type Key,
  keyOfMachineToken,
  lookUp,
  tokenOf,
} from '@quipu/core'
import type { World } from '../world/world.ts'
import { accountOfCaller, type Caller, callerOf, isExpired, type SignedInCaller, scopeSet } from './caller.ts'
import { CredentialWorlds } from './credential-worlds.ts'
import { MainPeople, unlessUnknown } from './main-people.ts'
import { type FactorPolicy, isConfirmed } from './second-factor.ts'
import { isSessionValid, SessionTokens, userWithRights } from './session-tokens.ts'

/** The digest under which a random secret is stored and looked up. */
export const digestOf = (secret: string): Digest => hash('sha256', secret, 'hex') as Digest

/** Finds the callers of the credentials of all worlds in the process. */
export class Credentials {
  /** Who must have a second factor. */
  factorPolicy: FactorPolicy = 'optional'
  readonly people: MainPeople
  /** Tokens of signed-in users. */
  readonly sessionTokens: SessionTokens
  readonly worlds: CredentialWorlds

  constructor(people = new MainPeople({ main: () => undefined, ask: () => undefined })) {
    this.people = people
    this.sessionTokens = new SessionTokens(people)
    this.worlds = new CredentialWorlds((world) => this.sessionTokens.removeWorld(world))
  }

  /** The owner of the key, if the secret is right. An unknown key takes as long as a wrong secret. */
  byKey(keyId: string, secret: string): Caller | undefined {
    const world = this.worlds.ofKey(keyId)
    const key = world && lookUp(world.view.keys, keyId)
    const matches = isSame(digestOf(secret), key?.digest ?? NO_DIGEST)
    if (!world || !key || !matches || isExpired(world, key)) return undefined
    return callerOf(world, key)
  }

  /** The caller of a bearer token. The token of an app selects the account by `flavour`. */
  byToken(token: string, flavour: Flavour): Caller | undefined {
    const digest = digestOf(token)
    const world = this.worlds.ofToken(digest)
    if (!world) return this.#byMachine(digest) ?? this.sessionTokens.caller(digest, Date.now())
    const bearer = bearerOf(world.view, digest, world.engine.now)
    const accountId = bearer && accountOfCaller(bearer, flavour)
    if (!accountId || !this.people.allows(world.view, bearer.grant)) return undefined
    const scopes = scopeSet(bearer.scopes)
    const { grant, token: credential } = bearer
    const readOnly = this.people.isOfAuditor(world, grant)
    const ofGrant = { grantId: grant.id, appId: grant.appId, ofMain: grant.ofMain, readOnly }
    return { kind: 'account', world, accountId, credentialId: credential.id, scopes, ...ofGrant }
  }

  #byMachine(digest: Digest): Caller | undefined {
    const world = this.worlds.ofMachineToken(digest)
    const key = world && keyOfMachineToken(world.view, digest, world.engine.now)
    return key && { ...callerOf(world, key), machine: digest }
  }

  /** Whether the credential of a caller is still valid, with the same rights. */
  isValid(caller: Caller, nowMs: number): boolean {
    const { world, credentialId, machine, session } = caller
    // The world of the session may be deleted while the world of the token is still there.
    if (session && this.worlds.ofSession(session.digest) !== session.world) return false
    // The credentials of a restarting world are unknown until it is up.
    if (!world.status.isUp || session?.world.status.isUp === false) return true
    const { view, engine } = world
    // The node that authenticated the caller ends the connection with the credential.
    if (caller.foreign) return caller.kind === 'partner' || isOpenAccount(view, caller.accountId)
    if (session) return unlessUnknown(() => isSessionValid(this.people, session, caller, nowMs))
    if (machine) return keyOfMachineToken(view, machine, engine.now) !== undefined
    if (caller.kind !== 'account' || !caller.grantId) return hasId(view.keys, credentialId)
    const token = lookUp(view.tokens, credentialId)
    const bearer = token && bearerOf(view, token.digest, engine.now)
    if (!bearer || (bearer.live !== caller.accountId && bearer.paper !== caller.accountId)) return false
    if (!unlessUnknown(() => this.people.allows(view, bearer.grant))) return false
    // A connection with more rights than the token has now ends, and its client connects again.
    if (!unlessUnknown(() => caller.readOnly || !this.people.isOfAuditor(world, bearer.grant))) return false
    const scopes = scopeSet(bearer.scopes)
    return [...(caller.scopes ?? [])].every((scope) => scopes.has(scope))
  }

  /** Before `bySession` and `byToken` on a node without `main`: asks about the person of the session or grant. */
  async preparePerson(secret: string): Promise<void> {
    const digest = digestOf(secret)
    const issuer = this.worlds.ofToken(digest)
    const token = issuer && tokenOf(issuer.view, digest)
    const grant = token && issuer?.view.grants.get(token.grantId)
    if (grant) return this.people.prepareGrant(issuer.view, grant)
    const world = this.worlds.ofSession(digest)
    const of = world ? { world, digest } : this.sessionTokens.sessionOf(digest)
    const session = of?.world.view.sessions.get(of.digest)
    const user = session && of?.world.view.users.get(session.userId)
    // A session that has ended by itself needs no response of `main`.
    const isOpen = user && !user.disabled && session.endsAtMs > Date.now()
    if (isOpen && session.mainEpoch !== undefined) await this.people.prepare(user)
  }

  /** The signed-in user of a session cookie, until the session ends. Without a second factor that is needed: nobody. */
  bySession(cookie: string, nowMs: number): SignedInCaller | undefined {
    const found = this.byAnySession(cookie, nowMs)
    return found && isConfirmed(this.factorPolicy, found, found.session) ? found : undefined
  }

  /** The same before the second factor. Only the pages that ask for it may use this. */
  byAnySession(cookie: string, nowMs: number): SignedInCaller | undefined {
    const digest = digestOf(cookie)
    const world = this.worlds.ofSession(digest)
    const session = world?.view.sessions.get(digest)
    const user = session && world && userWithRights(world, session.userId)
    if (!world || !user || user.disabled || session.endsAtMs <= nowMs) return undefined
    if (!this.people.isCurrent(user, session)) return undefined
    return { world, digest, session, user, hasFactor: this.people.hasFactor(user, session) }
  }

  /** A key and its world. */
  key(keyId: string): { readonly world: World; readonly key: Key } | undefined {
    const world = this.worlds.ofKey(keyId)
    const key = world && lookUp(world.view.keys, keyId)
    return world && key && !isExpired(world, key) ? { world, key } : undefined
  }

  /** The id, if a person chose the secret of this key. */
  chosenKey(keyId: string | undefined): string | undefined {
    return keyId !== undefined && this.key(keyId)?.key.chosen ? keyId : undefined
  }
}

const NO_DIGEST = digestOf('')

const isSame = (a: Digest, b: Digest): boolean => timingSafeEqual(Buffer.from(a), Buffer.from(b))

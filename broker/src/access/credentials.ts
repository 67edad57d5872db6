import { hash, timingSafeEqual } from 'node:crypto'
import {
  bearerOf,
  clientIdOf,
  type Digest,
  type Flavour,
  hasId,
  isOpenAccount,
  type Key,
  keyOfMachineToken,
  lookUp,
  tokenOf,
  unreachable,
} from '@quipu/core'
import type { Committed } from '../journal/committed.ts'
import type { World } from '../world/world.ts'
import { accountOfCaller, type Caller, callerOf, isExpired, type SignedInCaller, scopeSet } from './caller.ts'
import { CredentialIndex, registeredApps } from './credential-index.ts'
import { MainPeople, unlessUnknown } from './main-people.ts'
import { type FactorPolicy, isConfirmed } from './second-factor.ts'
import { isSessionValid, SessionTokens, userWithRights } from './session-tokens.ts'

/** The digest under which a random secret is stored and looked up. */
export const digestOf = (secret: string): Digest => hash('sha256', secret, 'hex') as Digest

/**
 * Maps every key, app, code, token, session and sign-in link of the process to its world. Rebuilt at start, and updated
 * by the events of the worlds.
 */
export class Credentials {
  readonly #keys = new CredentialIndex(({ view }) => view.keys)
  readonly #apps = new CredentialIndex(registeredApps)
  readonly #codes = new CredentialIndex(({ view }) => view.codes)
  readonly #tokens = new CredentialIndex(({ view }) => view.tokenDigests)
  readonly #machines = new CredentialIndex(({ view }) => view.machineTokens)
  readonly #sessions = new CredentialIndex(({ view }) => view.sessions)
  readonly #links = new CredentialIndex(({ view }) => view.signInLinks)
  readonly #indexes = [
    this.#keys,
    this.#apps,
    this.#codes,
    this.#tokens,
    this.#machines,
    this.#sessions,
    this.#links,
  ]
  /** Who must have a second factor. */
  factorPolicy: FactorPolicy = 'optional'
  readonly people: MainPeople
  /** Tokens of signed-in users. */
  readonly sessionTokens: SessionTokens

  constructor(people = new MainPeople({ main: () => undefined, ask: () => undefined })) {
    this.people = people
    this.sessionTokens = new SessionTokens(people)
  }

  /** Adds the credentials of a world and follows its events. Returns a function that removes the world. */
  addWorld(world: World): () => void {
    return this.#followWorld(world, (index) => index.addWorld(world))
  }

  /** A world that was reset or opened again takes over the place of its predecessor. Returns a function that removes it. */
  replaceWorld(old: World, world: World): () => void {
    this.sessionTokens.removeWorld(old)
    return this.#followWorld(world, (index) => {
      index.replaceWorld(old, world)
      index.addWorld(world)
    })
  }

  /** A world whose lease is over while it is added is not added. */
  #followWorld(world: World, add: (index: AnyIndex) => void): () => void {
    const stop = world.publisher.listen((events) => this.#follow(world, events))
    const remove = () => {
      stop()
      for (const index of this.#indexes) index.removeWorld(world)
      this.sessionTokens.removeWorld(world)
    }
    try {
      for (const index of this.#indexes) add(index)
    } catch (error) {
      remove()
      throw error
    }
    return remove
  }

  /** The owner of the key, if the secret is right. An unknown key takes as long as a wrong secret. */
  byKey(keyId: string, secret: string): Caller | undefined {
    const world = this.#keys.worldOf(keyId)
    const key = world && lookUp(world.view.keys, keyId)
    const matches = isSame(digestOf(secret), key?.digest ?? NO_DIGEST)
    if (!world || !key || !matches || isExpired(world, key)) return undefined
    return callerOf(world, key)
  }

  /** The caller of a bearer token. The token of an app selects the account by `flavour`. */
  byToken(token: string, flavour: Flavour): Caller | undefined {
    const digest = digestOf(token)
    const world = this.#tokens.worldOf(digest)
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
    const world = this.#machines.worldOf(digest)
    const key = world && keyOfMachineToken(world.view, digest, world.engine.now)
    return key && { ...callerOf(world, key), machine: digest }
  }

  /** Whether the credential of a caller is still valid, with the same rights. */
  isValid(caller: Caller, nowMs: number): boolean {
    const { world, credentialId, machine, session } = caller
    // The world of the session may be deleted while the world of the token is still there.
    if (session && this.#sessions.worldOf(session.digest) !== session.world) return false
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
    const issuer = this.#tokens.worldOf(digest)
    const token = issuer && tokenOf(issuer.view, digest)
    const grant = token && issuer?.view.grants.get(token.grantId)
    if (grant) return this.people.prepareGrant(issuer.view, grant)
    const world = this.#sessions.worldOf(digest)
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
    const world = this.#sessions.worldOf(digest)
    const session = world?.view.sessions.get(digest)
    const user = session && world && userWithRights(world, session.userId)
    if (!world || !user || user.disabled || session.endsAtMs <= nowMs) return undefined
    if (!this.people.isCurrent(user, session)) return undefined
    return { world, digest, session, user, hasFactor: this.people.hasFactor(user, session) }
  }

  /** A key and its world. */
  key(keyId: string): { readonly world: World; readonly key: Key } | undefined {
    const world = this.#keys.worldOf(keyId)
    const key = world && lookUp(world.view.keys, keyId)
    return world && key && !isExpired(world, key) ? { world, key } : undefined
  }

  /** The world that issued an app's token, access or refresh. */
  worldOfToken(token: string, digest = digestOf(token)): World | undefined {
    return this.#tokens.worldOf(digest)
  }

  /** The world of a sign-in link. */
  worldOfLink(link: string): World | undefined {
    return this.#links.worldOf(digestOf(link))
  }

  /** The id, if a person chose the secret of this key. */
  chosenKey(keyId: string | undefined): string | undefined {
    return keyId !== undefined && this.key(keyId)?.key.chosen ? keyId : undefined
  }

  /** Whether a key with this id exists in any world. For hints in the log, never for responses. */
  knows(keyId: string): boolean {
    return this.#keys.worldOf(keyId) !== undefined
  }

  /** The world in which an app is registered. */
  worldOfApp(clientId: string): World | undefined {
    return this.#apps.worldOf(clientIdOf(clientId))
  }

  /** The world that issued a code. This may be a fork, which has the apps of its parent. */
  worldOfCode(code: string, digest = digestOf(code)): World | undefined {
    return this.#codes.worldOf(digest)
  }

  /** Credentials that end without a case here fail when they are used, and are removed in time. */
  #follow(world: World, events: readonly Committed[]): void {
    for (const { event } of events) {
      if (!('sealed' in event)) continue
      switch (event.kind) {
        case 'keyIssued':
          this.#keys.add(world, event.sealed.keyId)
          break
        case 'keyRevoked':
          this.#keys.remove(world, event.sealed.keyId)
          break
        case 'appRegistered':
          this.#apps.add(world, event.sealed.clientId)
          break
        case 'codeIssued':
          this.#codes.add(world, event.sealed.code)
          break
        case 'tokenIssued':
        case 'codeExchanged':
        case 'tokenRefreshed':
          this.#tokens.add(world, event.sealed.token)
          if ('refresh' in event.sealed && event.sealed.refresh) this.#tokens.add(world, event.sealed.refresh)
          break
        case 'machineTokenIssued':
          this.#machines.add(world, event.sealed.token)
          break
        case 'signedIn':
          this.#sessions.add(world, event.sealed.session)
          break
        case 'signInLinkIssued':
          this.#links.add(world, event.sealed.link)
          break
        case 'appDeleted':
          this.#apps.remove(world, event.sealed.clientId)
          break
        case 'keyLimited':
        case 'userAdded':
        case 'userChanged':
        case 'operatorRightsRaised':
        case 'operatorRightsDropped':
        case 'totpAdded':
        case 'passkeyAdded':
        case 'factorUsed':
        case 'sessionConfirmed':
        case 'appSecretAdded':
        case 'machineTokenRevoked':
        case 'issuerRegistered':
        case 'signingKeyStored':
        case 'callAnswered':
          break
        default:
          unreachable(event)
      }
    }
  }
}

const NO_DIGEST = digestOf('')

type AnyIndex = Pick<CredentialIndex<never>, 'addWorld' | 'replaceWorld'>

const isSame = (a: Digest, b: Digest): boolean => timingSafeEqual(Buffer.from(a), Buffer.from(b))

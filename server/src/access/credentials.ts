import { hash, timingSafeEqual } from 'node:crypto'
import {
  type AccountId,
  type Bearer,
  bearerOf,
  type ClientId,
  clientIdOf,
  type Digest,
  type Flavour,
  hasExpired,
  type Key,
  type KeyId,
  machineOf,
  type TokenId,
} from '@quipu/core'
import type { Committed } from '../journal/committed.ts'
import type { World } from '../world/world.ts'
import type { Caller, SignedIn } from './caller.ts'
import { Routes } from './credential-index.ts'
import { isUpheld, SessionTokens } from './session-tokens.ts'

/** The digest under which a random secret is stored and looked up. */
export const digestOf = (secret: string): Digest => hash('sha256', secret, 'hex') as Digest

/**
 * The one index of the process: which world a key, an app, a code, a token or a browser's session belongs to. Rebuilt at start, kept
 * current by the worlds' events.
 */
export class Credentials {
  readonly #keys = new Routes<KeyId>((world, id) => world.view.keys.has(id))
  readonly #apps = new Routes<ClientId>((world, id) => world.view.clientIds.has(id))
  readonly #codes = new Routes<Digest>((world, digest) => world.view.codes.has(digest))
  readonly #tokens = new Routes<Digest>((world, digest) => world.view.tokenDigests.has(digest))
  readonly #machines = new Routes<Digest>((world, digest) => world.view.machineTokens.has(digest))
  readonly #sessions = new Routes<Digest>((world, digest) => world.view.sessions.has(digest))
  readonly #links = new Routes<Digest>((world, digest) => world.view.signInLinks.has(digest))
  /** Of people at their browsers. */
  readonly sessionTokens = new SessionTokens()

  /** Takes a world's credentials in, and follows what it does with them. */
  join(world: World): () => void {
    const { keys, clientIds, codes, tokenDigests, machineTokens, sessions, signInLinks } = world.view
    this.#keys.join(world, keys.keys())
    this.#apps.join(world, clientIds.keys())
    this.#codes.join(world, codes.keys())
    this.#tokens.join(world, tokenDigests.keys())
    this.#machines.join(world, machineTokens.keys())
    this.#sessions.join(world, sessions.keys())
    this.#links.join(world, signInLinks.keys())
    const stop = world.listen((events) => this.#follow(world, events))
    return () => {
      stop()
      for (const routes of [this.#keys, this.#apps, this.#codes, this.#tokens]) routes.leave(world)
      for (const routes of [this.#machines, this.#sessions, this.#links]) routes.leave(world)
      this.sessionTokens.leave(world)
    }
  }

  /** The key's owner, if the secret is the right one. An unknown key takes as long as a wrong secret. */
  byKey(keyId: string, secret: string): Caller | undefined {
    const world = this.#keys.worldOf(keyId as KeyId)
    const key = world?.view.keys.get(keyId as KeyId)
    const matches = isSame(digestOf(secret), key?.digest ?? NO_DIGEST)
    if (!world || !key || !matches || isOver(world, key)) return undefined
    return callerOf(world, key)
  }

  /** Whom a bearer's token speaks for; one of an app, on the side that is asked for. */
  byToken(token: string, flavour: Flavour): Caller | undefined {
    const digest = digestOf(token)
    const world = this.#tokens.worldOf(digest)
    if (!world) return this.#byMachine(digest) ?? this.sessionTokens.caller(digest, Date.now())
    const bearer = bearerOf(world.view, digest, world.now)
    const accountId = bearer && accountFor(bearer, flavour)
    if (!accountId) return undefined
    const scopes = setOf(bearer.scopes)
    const { id: grantId, appId } = bearer.grant
    return { kind: 'account', world, accountId, credentialId: bearer.token.id, scopes, grantId, appId }
  }

  #byMachine(digest: Digest): Caller | undefined {
    const world = this.#machines.worldOf(digest)
    const key = world && machineOf(world.view, digest, world.now)
    return key && { ...callerOf(world, key), machine: digest }
  }

  /** Whether what a caller came with is still good, and for the same. */
  upholds(caller: Caller, nowMs: number): boolean {
    const { world, credentialId, machine, session } = caller
    // What a world that starts again holds is known only when it has.
    if (!world.isUp || session?.world.isUp === false) return true
    const { view, now } = world
    if (session) return isUpheld(session, caller, nowMs)
    if (machine) return machineOf(view, machine, now) !== undefined
    if (caller.kind !== 'account' || !caller.grantId) return view.keys.has(credentialId as KeyId)
    const token = view.tokens.get(credentialId as TokenId)
    const bearer = token && bearerOf(view, token.digest, now)
    if (!bearer || (bearer.live !== caller.accountId && bearer.paper !== caller.accountId)) return false
    const scopes = setOf(bearer.scopes)
    return [...(caller.scopes ?? [])].every((scope) => scopes.has(scope))
  }

  /** Who has signed in where this cookie was set; nobody once that has ended. */
  bySession(cookie: string, nowMs: number): SignedIn | undefined {
    const digest = digestOf(cookie)
    const world = this.#sessions.worldOf(digest)
    const session = world?.view.sessions.get(digest)
    const person = session && world?.view.people.get(session.personId)
    if (!world || !person || person.disabled || session.endsAtMs <= nowMs) return undefined
    return { world, digest, session, person }
  }

  /** Where a key belongs, and the key. */
  key(keyId: string): { readonly world: World; readonly key: Key } | undefined {
    const world = this.#keys.worldOf(keyId as KeyId)
    const key = world?.view.keys.get(keyId as KeyId)
    return world && key && !isOver(world, key) ? { world, key } : undefined
  }

  /** Where a token of an app was issued, access or refresh. */
  worldOfToken(token: string, digest = digestOf(token)): World | undefined {
    return this.#tokens.worldOf(digest)
  }

  /** Where a link that signs someone in was made. */
  worldOfLink(link: string): World | undefined {
    return this.#links.worldOf(digestOf(link))
  }

  /** The id, if it is that of a key whose secret a person chose. */
  chosenKey(keyId: string | undefined): string | undefined {
    return keyId !== undefined && this.key(keyId)?.key.chosen ? keyId : undefined
  }

  /** Whether a key of this id exists anywhere; for hints in the log, never for answers. */
  knows(keyId: string): boolean {
    return this.#keys.worldOf(keyId as KeyId) !== undefined
  }

  /** Where an app is registered. */
  worldOfApp(clientId: string): World | undefined {
    return this.#apps.worldOf(clientIdOf(clientId))
  }

  /** Where a code was issued: that may be a fork, which has the apps of its parent. */
  worldOfCode(code: string, digest = digestOf(code)): World | undefined {
    return this.#codes.worldOf(digest)
  }

  /** What is gone without a line here is found gone when it is used, and dropped in time. */
  #follow(world: World, events: readonly Committed[]): void {
    for (const { event } of events)
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
          this.#tokens.add(world, event.sealed.token)
          break
        case 'codeExchanged':
        case 'tokenRefreshed':
          this.#tokens.add(world, event.sealed.token)
          if (event.sealed.refresh) this.#tokens.add(world, event.sealed.refresh)
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
        default:
      }
  }
}

/** Lists of scopes never change: one set serves every request. */
function setOf(scopes: readonly string[]): ReadonlySet<string> {
  const known = scopeSets.get(scopes)
  if (known) return known
  const made = new Set(scopes)
  scopeSets.set(scopes, made)
  return made
}

const scopeSets = new WeakMap<readonly string[], ReadonlySet<string>>()

/** Live only where live is asked for, or where there is nothing else. */
const accountFor = ({ live, paper }: Bearer, flavour: Flavour): AccountId | undefined =>
  flavour === 'live' ? live : (paper ?? live)

/** The clock is read only for keys that have an end. */
const isOver = (world: World, key: Key): boolean => key.expiresAt !== undefined && hasExpired(key, world.now)

function callerOf(world: World, { id, owner }: Key): Caller {
  return owner.kind === 'account'
    ? { kind: 'account', world, accountId: owner.accountId, credentialId: id }
    : {
        kind: 'partner',
        world,
        partnerId: owner.partnerId,
        credentialId: id,
        operator: owner.operator,
      }
}

const NO_DIGEST = digestOf('')

const isSame = (a: Digest, b: Digest): boolean => timingSafeEqual(Buffer.from(a), Buffer.from(b))

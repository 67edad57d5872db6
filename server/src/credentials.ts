import { hash } from 'node:crypto'
import {
  type AccountId,
  bearerOf,
  type ClientId,
  clientIdOf,
  type Digest,
  type Flavour,
  type Grant,
  type Key,
  type KeyId,
  type PartnerId,
} from '@quipu/core'
import type { Committed } from './engine.ts'
import { Routes } from './routes.ts'
import type { World } from './world.ts'

/** Who is calling, and in which world. The credential alone decides both. */
export type Caller = AccountCaller | PartnerCaller

export type AccountCaller = {
  readonly kind: 'account'
  readonly world: World
  readonly accountId: AccountId
  /** What rate limits and logs count by: the key's id, or the token's. */
  readonly credentialId: string
  /** What an OAuth token was granted; absent for a key, which may do everything its account may. */
  readonly scopes?: ReadonlySet<string>
}

export type PartnerCaller = {
  readonly kind: 'partner'
  readonly world: World
  readonly partnerId: PartnerId
  readonly credentialId: string
  /** May steer every world. */
  readonly operator: boolean
}

export const digestOf = (secret: string): Digest => hash('sha256', secret, 'hex') as Digest

/**
 * The one index of the process: which world a key, an app, a code or a token belongs to. Rebuilt at start, kept
 * current by the worlds' events.
 */
export class Credentials {
  readonly #keys = new Routes<KeyId>((world, id) => world.view.keys.has(id))
  readonly #apps = new Routes<ClientId>((world, id) => world.view.clientIds.has(id))
  readonly #codes = new Routes<Digest>((world, digest) => world.view.codes.has(digest))
  readonly #tokens = new Routes<Digest>((world, digest) => world.view.tokenDigests.has(digest))

  /** Takes a world's credentials in, and follows what it does with them. */
  join(world: World): () => void {
    const { keys, clientIds, codes, tokenDigests } = world.view
    this.#keys.join(world, keys.keys())
    this.#apps.join(world, clientIds.keys())
    this.#codes.join(world, codes.keys())
    this.#tokens.join(world, tokenDigests.keys())
    const stop = world.listen((events) => this.#follow(world, events))
    return () => {
      stop()
      for (const routes of [this.#keys, this.#apps, this.#codes, this.#tokens]) routes.leave(world)
    }
  }

  /** The key's owner, if the secret is the right one. An unknown key takes as long as a wrong secret. */
  byKey(keyId: string, secret: string): Caller | undefined {
    const world = this.#keys.worldOf(keyId as KeyId)
    const key = world?.view.keys.get(keyId as KeyId)
    const matches = isSame(digestOf(secret), key?.digest ?? NO_DIGEST)
    return world && key && matches ? callerOf(world, key) : undefined
  }

  /** Whom an OAuth token speaks for, on the side that is asked for. */
  byToken(token: string, flavour: Flavour): AccountCaller | undefined {
    const digest = digestOf(token)
    const world = this.#tokens.worldOf(digest)
    const bearer = world && bearerOf(world.view, digest)
    const accountId = bearer && accountFor(bearer.grant, flavour)
    if (!accountId) return undefined
    const { id } = bearer.token
    return { kind: 'account', world, accountId, credentialId: id, scopes: new Set(bearer.grant.scopes) }
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
  worldOfCode(code: string): World | undefined {
    return this.#codes.worldOf(digestOf(code))
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
        case 'codeExchanged':
          this.#tokens.add(world, event.sealed.token)
          break
        default:
      }
  }
}

/** Live only where live is asked for, or where there is nothing else. */
const accountFor = ({ live, paper }: Grant, flavour: Flavour): AccountId | undefined =>
  flavour === 'live' ? live : (paper ?? live)

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

/** Looks at every digit, wherever the first difference is: the time it takes tells nothing. */
function isSame(a: Digest, b: Digest): boolean {
  let difference = a.length ^ b.length
  for (let at = 0; at < a.length; at++) difference |= a.charCodeAt(at) ^ b.charCodeAt(at)
  return difference === 0
}

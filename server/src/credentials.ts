import { hash, timingSafeEqual } from 'node:crypto'
import type { AccountId, Digest, Key, KeyId, PartnerId } from '@quipu/core'
import type { Committed } from './engine.ts'
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

/** The one index of the process: which world a key belongs to. Rebuilt at start, kept current by the worlds' events. */
export class Credentials {
  readonly #worldOfKey = new Map<KeyId, World>()

  /** Takes a world's credentials in, and follows what it does with them. */
  join(world: World): () => void {
    // A fork knows its parent's keys too; they go on entering the parent.
    for (const keyId of world.view.keys.keys())
      if (!this.#worldOfKey.has(keyId)) this.#worldOfKey.set(keyId, world)
    const stop = world.listen((events) => this.#follow(world, events))
    return () => {
      stop()
      for (const [keyId, owner] of this.#worldOfKey) if (owner === world) this.#worldOfKey.delete(keyId)
    }
  }

  /** The key's owner, if the secret is the right one. An unknown key takes as long as a wrong secret. */
  byKey(keyId: string, secret: string): Caller | undefined {
    const world = this.#worldOfKey.get(keyId as KeyId)
    const key = world?.view.keys.get(keyId as KeyId)
    const matches = isSame(digestOf(secret), key?.digest ?? NO_DIGEST)
    return world && key && matches ? callerOf(world, key) : undefined
  }

  /** Whether a key of this id exists anywhere; for hints in the log, never for answers. */
  knows(keyId: string): boolean {
    return this.#worldOfKey.has(keyId as KeyId)
  }

  #follow(world: World, events: readonly Committed[]): void {
    for (const { event } of events) {
      if (event.kind === 'keyIssued') this.#worldOfKey.set(event.sealed.keyId, world)
      if (event.kind === 'keyRevoked' && this.#worldOfKey.get(event.sealed.keyId) === world)
        this.#worldOfKey.delete(event.sealed.keyId)
    }
  }
}

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
const isSame = (a: string, b: string): boolean => timingSafeEqual(Buffer.from(a), Buffer.from(b))

import type { Instant, KeyId } from '@quipu/core'
import { HOUR, hasId, instantOfNanos, MINUTE } from '@quipu/core/values'
import { WallClock } from '../clock/wall.ts'
import type { Cause } from '../journal/cause.ts'
import type { World } from '../world/world.ts'
import type { AccessStore } from './access-store.ts'
import type { Caller } from './caller.ts'

const MINUTE_MS = 60_000

/**
 * The last use of each key, to the minute of its world's clock. Recording a use is usually one lookup in memory. Uses of
 * keys of `main` are stored once a minute and when the server stops; a crash loses at most the last minute. They are
 * not events, because reads would fill the journal.
 */
export class KeyUses {
  readonly #store: AccessStore
  /** Absent while another node of a cluster holds it. */
  #main: World | undefined
  /** Minutes since 1970. */
  readonly #worlds = new WeakMap<World, Map<string, number>>()
  readonly #changed = new Set<string>()
  readonly #timer: NodeJS.Timeout
  #storing: Promise<void> = Promise.resolve()

  constructor(store: AccessStore) {
    this.#store = store
    this.#timer = setInterval(() => this.store().catch(() => undefined), MINUTE_MS).unref()
  }

  /** Reads when each key in `main` was last used, and stores later uses. */
  async open(main: World): Promise<void> {
    const uses = this.#of(main)
    for (const [keyId, used] of await this.#store.keyUses()) uses.set(keyId, Number(BigInt(used) / MINUTE))
    this.#main = main
  }

  /** Records that a caller used its key. Tokens of apps and users do not count. */
  record(caller: Caller): void {
    if (caller.session || caller.foreign || (caller.kind === 'account' && caller.grantId)) return
    this.recordKey(caller.world, caller.credentialId)
  }

  recordKey(world: World, keyId: string): void {
    const minute = minuteOf(world)
    const uses = this.#of(world)
    if (uses.get(keyId) === minute) return
    uses.set(keyId, minute)
    if (world === this.#main) this.#changed.add(keyId)
  }

  lastUse(world: World, keyId: KeyId): Instant | undefined {
    const minute = this.#worlds.get(world)?.get(keyId)
    return minute === undefined ? undefined : instantOfNanos(BigInt(minute) * MINUTE)
  }

  /** Resolves once all uses so far are durable. */
  store(): Promise<void> {
    this.#storing = this.#storing.catch(() => undefined).then(() => this.#storeNow())
    return this.#storing
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.store()
  }

  #of(world: World): Map<string, number> {
    let uses = this.#worlds.get(world)
    if (!uses) this.#worlds.set(world, (uses = new Map()))
    return uses
  }

  async #storeNow(): Promise<void> {
    if (this.#changed.size === 0 || !this.#main) return
    const all = new Map(
      [...this.#known(this.#main)].map(([keyId, minute]) => [keyId, String(BigInt(minute) * MINUTE)]),
    )
    const changed = new Map([...all].filter(([keyId]) => this.#changed.has(keyId)))
    this.#changed.clear()
    try {
      await this.#store.storeKeyUses(changed, all)
    } catch (error) {
      for (const keyId of changed.keys()) this.#changed.add(keyId)
      throw error
    }
  }

  /** When each key in `main` was last used, without deleted keys. */
  #known(main: World): ReadonlyMap<string, number> {
    const uses = this.#of(main)
    if (!main.status.isUp) return uses
    const { keys } = main.view
    for (const id of uses.keys()) if (!hasId(keys, id)) uses.delete(id)
    return uses
  }
}

/** On the wall clock the system time is enough: the exact clock costs ten times as much. */
const minuteOf = ({ clock }: World): number =>
  clock instanceof WallClock ? Math.floor(Date.now() / MINUTE_MS) : Number(clock.now() / MINUTE)

/**
 * Records that a key was used, or that an app acted for a user, so that users can see the last use. The use of a grant
 * is an event, at most once an hour; usually this only reads memory. Callers do not wait for it. If the world cannot
 * store it now, the next call records it.
 */
export function recordUse(caller: Caller, keyUses: Pick<KeyUses, 'record'>, cause: () => Cause): void {
  if (caller.kind !== 'account' || caller.grantId === undefined) return keyUses.record(caller)
  const { world, grantId } = caller
  if (!world.status.isUp) return
  const grant = world.view.grants.get(grantId)
  const last = grant?.lastUsedAt
  if (!grant || (last !== undefined && isRecent(world, last))) return
  void world.commands
    .submit({ kind: 'noteGrantUse', grantId }, () => undefined, cause())
    .catch(() => undefined)
}

const HOUR_MS = 3_600_000
/** Upper bound of the difference between the two clocks of the machine. */
const CLOCK_DIFFERENCE_MS = 1000

/** Usually the system time is enough: the nanosecond clock of a world costs ten times as much. */
function isRecent(world: World, last: Instant): boolean {
  if (world.clock instanceof WallClock && Date.now() - Number(last) / 1e6 < HOUR_MS - CLOCK_DIFFERENCE_MS)
    return true
  return world.engine.now - last < HOUR
}

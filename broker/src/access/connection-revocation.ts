import { type BrokerEvent, grantEvents, isOneOf } from '@quipu/core'
import type { Committed } from '../journal/committed.ts'
import type { World } from '../world/world.ts'
import type { Caller } from './caller.ts'

/** A long-lived connection: a stream, or a response that stays open. */
export type LongLivedConnection = { close(why: 'revoked' | 'sessionMoved'): void }

/** Delay after an event that may have ended credentials, before the connections are checked. */
const CHECK_DELAY_MS = 20
/** Interval of checks for credentials that end by time, without an event. */
const CHECK_INTERVAL_MS = 500

/**
 * Closes each connection when its credential ends:
 *   by id     an event names the credential: a key, a token, all tokens of a grant
 *   by check  an event may have ended many: an app or a user updated, an account was closed
 *   by time   machine tokens, browser sessions and what people of `main` allowed in other worlds end without an event
 *             of the world, so they are checked at an interval
 */
export class ConnectionRevocation {
  readonly #isValid: (caller: Caller, nowMs: number) => boolean
  readonly #worlds = new Map<World, WorldConnections>()
  readonly #expiring = new Map<LongLivedConnection, Caller>()
  #timer: NodeJS.Timeout | undefined

  constructor(isValid: (caller: Caller, nowMs: number) => boolean) {
    this.#isValid = isValid
  }

  add(connection: LongLivedConnection, caller: Caller): void {
    const group = this.#worlds.get(caller.world) ?? this.#openWorld(caller.world)
    group.add(connection, caller)
    if (!isExpiring(caller)) return
    this.#expiring.set(connection, caller)
    this.#timer ??= setInterval(() => this.#closeInvalid(this.#expiring), CHECK_INTERVAL_MS).unref()
  }

  remove(connection: LongLivedConnection, caller: Caller): void {
    const group = this.#worlds.get(caller.world)
    group?.remove(connection, caller)
    if (group?.isEmpty) this.#closeWorld(caller.world, group)
    this.#expiring.delete(connection)
    if (this.#expiring.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  close(): void {
    for (const [world, group] of this.#worlds) this.#closeWorld(world, group)
    clearInterval(this.#timer)
  }

  #openWorld(world: World): WorldConnections {
    const group = new WorldConnections(world, (connections) => this.#closeInvalid(connections))
    this.#worlds.set(world, group)
    return group
  }

  #closeWorld(world: World, group: WorldConnections): void {
    group.close()
    this.#worlds.delete(world)
  }

  #closeInvalid(connections: Iterable<readonly [LongLivedConnection, Caller]>): void {
    const nowMs = Date.now()
    const ended = [...connections].filter(([, caller]) => !this.#isValid(caller, nowMs))
    // The session continues at the node that holds its world now.
    for (const [connection, { session }] of ended)
      connection.close(session?.world.status.ending === 'released' ? 'sessionMoved' : 'revoked')
  }
}

const isExpiring = (caller: Caller): boolean =>
  caller.machine !== undefined ||
  caller.session !== undefined ||
  (caller.kind === 'account' && caller.ofMain === true)

/** The connections of one world, by credential id. */
class WorldConnections {
  readonly #connections = new Map<string, Map<LongLivedConnection, Caller>>()
  readonly #stop: () => void
  readonly #check: (connections: Iterable<readonly [LongLivedConnection, Caller]>) => void
  #pendingCheck: NodeJS.Timeout | undefined

  constructor(world: World, check: (connections: Iterable<readonly [LongLivedConnection, Caller]>) => void) {
    this.#check = check
    this.#stop = world.publisher.listen((events) => this.#onEvents(events))
  }

  get isEmpty(): boolean {
    return this.#connections.size === 0
  }

  add(connection: LongLivedConnection, caller: Caller): void {
    const { credentialId } = caller
    const same = this.#connections.get(credentialId) ?? new Map<LongLivedConnection, Caller>()
    this.#connections.set(credentialId, same.set(connection, caller))
  }

  remove(connection: LongLivedConnection, { credentialId }: Caller): void {
    const same = this.#connections.get(credentialId)
    same?.delete(connection)
    if (same?.size === 0) this.#connections.delete(credentialId)
  }

  close(): void {
    this.#stop()
    clearTimeout(this.#pendingCheck)
  }

  #onEvents(events: readonly Committed[]): void {
    for (const { event } of events) {
      for (const id of endedBy(event))
        for (const connection of [...(this.#connections.get(id)?.keys() ?? [])]) connection.close('revoked')
      if (MAY_END_MANY.has(event.kind)) this.#checkSoon()
    }
  }

  #checkSoon(): void {
    this.#pendingCheck ??= setTimeout(() => this.#checkAll(), CHECK_DELAY_MS).unref()
  }

  #checkAll(): void {
    this.#pendingCheck = undefined
    this.#check([...this.#connections.values()].flatMap((same) => [...same]))
  }
}

/** The ids of the credentials that an event ends. */
function endedBy(event: BrokerEvent): readonly string[] {
  if ('revoked' in event) return event.revoked
  if (event.kind === 'keyRevoked') return [event.sealed.keyId]
  if (!isOneOf(grantEvents, event)) return []
  switch (event.kind) {
    case 'tokenRevoked':
    case 'tokenExpired':
      return [event.tokenId]
    case 'tokenRefreshed':
      return event.dropped ?? []
    case 'codeIssued':
    case 'consentRefused':
    case 'tokenIssued':
    case 'codeExchanged':
    case 'grantUsed':
      return []
  }
}

/** After these events any credential of the world may have ended. */
const MAY_END_MANY: ReadonlySet<BrokerEvent['kind']> = new Set([
  'appStatusChanged',
  'appChanged',
  'userChanged',
  'userRemoved',
  'accountClosed',
  'signedOut',
  'operatorRightsDropped',
  'machineTokenRevoked',
] as const)

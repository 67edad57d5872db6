import type { BrokerEvent } from '@quipu/core'
import type { Committed } from '../journal/committed.ts'
import type { World } from '../world/world.ts'
import type { Caller } from './caller.ts'

/** A connection that lasts: a stream, or an answer that stays open. */
export type Guest = { close(why: 'revoked'): void }

/** What let a guest in is looked at again this long after something happened that may have ended it. */
const SOON_MS = 20
/** And this often where nothing tells of its end but the clock. */
const OFTEN_MS = 500

/**
 * No connection outlasts what let it in. Each is closed when its credential ends:
 *   by name     an event says which: a key, a token, all tokens of a grant
 *   by looking  an event may have ended many: an app or a person was changed, an account closed
 *   by time     tokens of machines and sessions of people end without an event, so these are looked at again and again
 */
export class Guests {
  readonly #upholds: (caller: Caller, nowMs: number) => boolean
  readonly #rooms = new Map<World, Room>()
  readonly #passing = new Map<Guest, Caller>()
  #clock: NodeJS.Timeout | undefined

  constructor(upholds: (caller: Caller, nowMs: number) => boolean) {
    this.#upholds = upholds
  }

  enter(guest: Guest, caller: Caller): void {
    const room = this.#rooms.get(caller.world) ?? this.#open(caller.world)
    room.add(guest, caller)
    if (!isPassing(caller)) return
    this.#passing.set(guest, caller)
    this.#clock ??= setInterval(() => this.#look(this.#passing), OFTEN_MS).unref()
  }

  leave(guest: Guest, caller: Caller): void {
    const room = this.#rooms.get(caller.world)
    room?.remove(guest, caller)
    if (room?.isEmpty) this.#shut(caller.world, room)
    this.#passing.delete(guest)
    if (this.#passing.size > 0) return
    clearInterval(this.#clock)
    this.#clock = undefined
  }

  close(): void {
    for (const [world, room] of this.#rooms) this.#shut(world, room)
    clearInterval(this.#clock)
  }

  #open(world: World): Room {
    const room = new Room(world, (guests) => this.#look(guests))
    this.#rooms.set(world, room)
    return room
  }

  #shut(world: World, room: Room): void {
    room.close()
    this.#rooms.delete(world)
  }

  #look(guests: Iterable<readonly [Guest, Caller]>): void {
    const nowMs = Date.now()
    const over = [...guests].filter(([, caller]) => !this.#upholds(caller, nowMs))
    for (const [guest] of over) guest.close('revoked')
  }
}

const isPassing = (caller: Caller): boolean => caller.machine !== undefined || caller.session !== undefined

/** The guests of one world, by what let them in. */
class Room {
  readonly #guests = new Map<string, Map<Guest, Caller>>()
  readonly #stop: () => void
  readonly #look: (guests: Iterable<readonly [Guest, Caller]>) => void
  #soon: NodeJS.Timeout | undefined

  constructor(world: World, look: (guests: Iterable<readonly [Guest, Caller]>) => void) {
    this.#look = look
    this.#stop = world.listen((events) => this.#heard(events))
  }

  get isEmpty(): boolean {
    return this.#guests.size === 0
  }

  add(guest: Guest, caller: Caller): void {
    const { credentialId } = caller
    const same = this.#guests.get(credentialId) ?? new Map<Guest, Caller>()
    this.#guests.set(credentialId, same.set(guest, caller))
  }

  remove(guest: Guest, { credentialId }: Caller): void {
    const same = this.#guests.get(credentialId)
    same?.delete(guest)
    if (same?.size === 0) this.#guests.delete(credentialId)
  }

  close(): void {
    this.#stop()
    clearTimeout(this.#soon)
  }

  #heard(events: readonly Committed[]): void {
    for (const { event } of events) {
      for (const id of endedBy(event))
        for (const guest of [...(this.#guests.get(id)?.keys() ?? [])]) guest.close('revoked')
      if (ENDS_MANY.has(event.kind)) this.#lookSoon()
    }
  }

  #lookSoon(): void {
    this.#soon ??= setTimeout(() => this.#all(), SOON_MS).unref()
  }

  #all(): void {
    this.#soon = undefined
    this.#look([...this.#guests.values()].flatMap((same) => [...same]))
  }
}

/** The credentials that an event says it ends. */
function endedBy(event: BrokerEvent): readonly string[] {
  switch (event.kind) {
    case 'keyRevoked':
      return [event.sealed.keyId]
    case 'tokenRevoked':
    case 'tokenExpired':
      return [event.tokenId]
    case 'codeReplayed':
    case 'refreshReplayed':
    case 'grantRevoked':
    case 'consentWithdrawn':
    case 'appDeleted':
    case 'accountAssigned':
      return event.revoked
    case 'tokenRefreshed':
      return event.dropped ?? []
    default:
      return []
  }
}

/** After these any credential of the world may have ended. */
const ENDS_MANY: ReadonlySet<BrokerEvent['kind']> = new Set([
  'appStatusChanged',
  'appChanged',
  'personChanged',
  'personRemoved',
  'accountClosed',
  'signedOut',
  'operatorRightsDropped',
  'machineTokenRevoked',
] as const)

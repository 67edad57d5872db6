import type { Feed } from '@quipu/broker/market/feed.ts'
import type { World } from '@quipu/broker/world/world.ts'
import type { AccountId } from '@quipu/core'
import { type FeedName, Hub, type HubParts } from './hub.ts'
import type { StreamParticipant } from './participant.ts'
import type { StreamSocket } from './socket.ts'

/** One hub for each world with clients. */
export class Hubs {
  readonly #parts: HubParts
  readonly #hubs = new Map<World, Hub>()
  readonly #participants = new Map<string, StreamParticipant>()

  constructor(parts: HubParts) {
    this.#parts = parts
  }

  /** Adds a client that has authenticated in a world. */
  enter(world: World, socket: StreamSocket): void {
    let hub = this.#hubs.get(world)
    if (!hub) {
      hub = new Hub(world, this.#parts)
      this.#hubs.set(world, hub)
    }
    hub.members.add(socket)
  }

  leave(world: World, socket: StreamSocket): void {
    const hub = this.#hubs.get(world)
    hub?.members.delete(socket)
    if (hub?.members.size !== 0) return
    hub.close()
    this.#hubs.delete(world)
  }

  /** The participant that reports for the clients which name its id. */
  participant(id: string | undefined): StreamParticipant | undefined {
    return id === undefined ? undefined : this.#participants.get(id)
  }

  /** Adds a participant to a world, until the returned function is called. */
  join(world: World, participant: StreamParticipant): () => void {
    const hub = this.#of(world)
    const { participants } = hub
    this.#participants.set(participant.id, participant)
    participants.add(participant)
    participant.foresee = (max) => hub.foresee(max)
    return () => {
      this.#participants.delete(participant.id)
      participants.delete(participant)
    }
  }

  /** Sends every trade update of an account to a client, until the returned function is called. */
  listen(world: World, accountId: AccountId, socket: StreamSocket): () => void {
    return this.#of(world).listen(accountId, socket)
  }

  feed(world: World, name: FeedName): Feed<StreamSocket> | undefined {
    return this.#of(world).feed(name)
  }

  #of(world: World): Hub {
    const hub = this.#hubs.get(world)
    if (!hub) throw new Error(`bug: ${world.id} has no hub`)
    return hub
  }
}

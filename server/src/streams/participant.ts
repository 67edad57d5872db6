import { randomUUID } from 'node:crypto'
import type { ParticipantMessage, ParticipantReport } from '@quipu/contract'
import { type Instant, max } from '@quipu/core'
import type { World } from '../world/world.ts'
import { Message } from './frame.ts'

const NS_PER_MS = 1_000_000n

/**
 * Reports for a program when it is done, as `quipu run` does for Node programs. It covers the streams that name its id
 * in their handshake. Both sides count messages: a report is valid if no message is on its way.
 */
export class Participant {
  readonly id = randomUUID()
  readonly #send: (message: Message) => void
  readonly #world: World
  #updates = 0
  #fires = 0
  #firedAt: Instant | undefined
  #updatedSent = -1
  #sent = 0
  #received = 0
  #report: ParticipantReport | undefined
  #cancelTimer: (() => void) | undefined
  #changed: (() => void)[] = []
  #closed = false

  constructor(world: World, send: (message: Message) => void) {
    this.#send = send
    this.#world = world
  }

  /** A covered stream sends a message. */
  sending(): void {
    this.#sent += 1
    this.wake()
  }

  /** A message of a covered stream was processed. */
  received(): void {
    this.#received += 1
    this.wake()
  }

  /** How often timers of the program were due. */
  get fires(): number {
    return this.#fires
  }

  get isClosed(): boolean {
    return this.#closed
  }

  get #isDone(): boolean {
    const { updates, received, sent } = this.#report ?? {}
    return this.#closed || (updates === this.#updates && received === this.#sent && sent === this.#received)
  }

  /**
   * Resolves when the program is done with everything that was sent to it. All messages of an instant are sent before the
   * program may see the first, so that it always sees them in the same order.
   */
  async done(stopped: AbortSignal): Promise<void> {
    for (let isFirst = true; !stopped.aborted && !this.#closed; isFirst = false) {
      if (this.#sent !== this.#updatedSent) {
        // The messages before the wait are sent already.
        if (!isFirst) await this.#world.requests.none()
        if (!isFirst) await this.#world.quiet()
        this.update(false)
      }
      if (this.#isDone) return
      await new Promise<void>((resolve) => this.#changed.push(resolve))
    }
  }

  update(fire: boolean): void {
    this.#updates += 1
    if (fire) {
      this.#fires += 1
      this.#firedAt = this.#world.clock.now()
    }
    this.#updatedSent = this.#sent
    const now = Number(this.#world.clock.now() / NS_PER_MS)
    this.#send(messageOf({ now, sent: this.#sent, fire }))
  }

  report(report: ParticipantReport): void {
    this.#report = report
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    if (report.next !== null) {
      // Timers are fired once per instant: one that stays overdue must not stop the clock for ever.
      const now = this.#world.clock.now()
      const earliest = (this.#firedAt === now ? now + NS_PER_MS : now) as Instant
      const due = max((BigInt(Math.ceil(report.next)) * NS_PER_MS) as Instant, earliest)
      this.#cancelTimer = this.#world.clock.timer(due, 'client', () => this.update(true))
    }
    this.wake()
  }

  close(): void {
    this.#closed = true
    this.#cancelTimer?.()
    this.wake()
  }

  /** Ends all waits, which then look again. */
  wake(): void {
    for (const resolve of this.#changed.splice(0)) resolve()
  }
}

export const messageOf = (message: ParticipantMessage): Message => new Message(message)

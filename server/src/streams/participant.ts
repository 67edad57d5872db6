import { randomUUID } from 'node:crypto'
import type { ClientWait } from '@quipu/broker/world/requests/client-requests.ts'
import type { World } from '@quipu/broker/world/world.ts'
import type { MessagesAhead, ParticipantMessage, ParticipantReport } from '@quipu/contract'
import { definedFields, type Instant, instantOfMs, later, max } from '@quipu/core'
import { Message } from './frame.ts'

const NS_PER_MS = 1_000_000n
/** Instants ahead of the time: a few milliseconds of work, because other worlds wait for it. */
const INSTANTS_MAX = 32

/** A message that a stream will be sent. */
export type Foreseen = { readonly at: Instant; readonly frame: Buffer }
/** The messages that a stream will be sent at the next instants, if nothing else happens in the world. */
export type ForeseenStream = { readonly stream: string; readonly messages: readonly Foreseen[] }

/**
 * Reports for a program when it is done, as `quipu run` does for Node programs. It covers the streams that name its id
 * in their handshake. Both sides count messages: a report is valid if no message is on its way.
 */
export class StreamParticipant {
  readonly id = randomUUID()
  /** Finds messages of later instants. */
  foresee: ((max: number) => Promise<ForeseenStream | undefined>) | undefined = undefined
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
  /** Messages of later instants: those that the program may receive, and those that it has received. */
  #offered: readonly Foreseen[] = []
  #early: Foreseen[] = []
  #instantsMax = 1
  #closed = false

  constructor(world: World, send: (message: Message) => void) {
    this.#send = send
    this.#world = world
  }

  /** A covered stream sends a message. Returns whether the program has received it before its time. */
  hasReceived(frame: Buffer): boolean {
    const hasReceived = this.#early[0]?.frame === frame
    if (hasReceived) this.#early.shift()
    this.#sent += 1
    // After the last of them the program gets the time, and the next messages.
    if (hasReceived && this.#early.length > 0) this.#updatedSent = this.#sent
    this.wake()
    return hasReceived
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
    const isReceived = received === this.#sentInAll && sent === this.#received
    return this.#closed || (updates === this.#updates && isReceived)
  }

  get #sentInAll(): number {
    return this.#sent + this.#early.length
  }

  /**
   * Resolves when the program is done with everything that was sent to it. All messages of an instant are sent before the
   * program may see the first, so that it always sees them in the same order.
   */
  async done(wait: ClientWait): Promise<void> {
    const { stopped, looksAhead } = wait
    this.#forgetPast()
    for (let isFirst = true; !stopped.aborted && !this.#closed; isFirst = false) {
      const sent = this.#sent
      if (sent !== this.#updatedSent) {
        // The messages before the wait are sent already.
        if (!isFirst) await this.#world.clients.requests.none(wait)
        if (!isFirst) await this.#world.commands.quiet()
        const canForesee = looksAhead && this.#early.length === 0
        const foreseen = canForesee ? await this.foresee?.(this.#instantsMax) : undefined
        if (sent !== this.#sent) continue
        this.update(false, foreseen)
      }
      if (this.#isDone) return
      await new Promise<void>((resolve) => this.#changed.push(resolve))
    }
  }

  update(fire: boolean, foreseen?: ForeseenStream): void {
    this.#updates += 1
    this.#offered = foreseen?.messages ?? []
    if (fire) {
      this.#fires += 1
      this.#firedAt = this.#world.clock.now()
    }
    this.#updatedSent = this.#sent
    const now = msOf(this.#world.clock.now())
    const ahead = foreseen && aheadOf(foreseen)
    this.#send(participantMessage({ now, sent: this.#sentInAll, fire, ...definedFields({ ahead }) }))
  }

  report(report: ParticipantReport): void {
    this.#report = report
    if (report.updates === this.#updates) this.#receivedEarly(report.ahead ?? 0)
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    if (report.next !== null) {
      // Timers are fired once per instant: one that stays overdue must not stop the clock for ever.
      const now = this.#world.clock.now()
      const earliest = this.#firedAt === now ? later(now, NS_PER_MS) : now
      const due = max(instantOfMs(Math.ceil(report.next)), earliest)
      this.#cancelTimer = this.#world.clock.timer(due, 'client', () => this.update(true))
    }
    this.wake()
  }

  close(): void {
    this.#closed = true
    this.#cancelTimer?.()
    this.wake()
  }

  /** A program that soon does something is offered less the next time. */
  #receivedEarly(count: number): void {
    const received = this.#offered.slice(0, count)
    const isWhole = received.length === this.#offered.length
    const instants = new Set(received.map(({ at }) => at)).size
    if (instants > 0) this.#instantsMax = isWhole ? Math.min(this.#instantsMax * 2, INSTANTS_MAX) : instants
    this.#early.push(...received)
    this.#offered = []
  }

  /** The streams were not sent what the program has received: somebody else has changed the market. */
  #forgetPast(): void {
    const now = this.#world.clock.now()
    const kept = this.#early.filter(({ at }) => at > now)
    this.#sent += this.#early.length - kept.length
    this.#early = kept
  }

  /** Ends all waits, which then look again. */
  wake(): void {
    for (const resolve of this.#changed.splice(0)) resolve()
  }
}

const msOf = (at: Instant): number => Number(at / NS_PER_MS)

const aheadOf = ({ stream, messages }: ForeseenStream): MessagesAhead => ({
  stream,
  frames: messages.map(({ at, frame }) => [msOf(at), frame.toString('base64')] as const),
})

export const participantMessage = (message: ParticipantMessage): Message => new Message(message)

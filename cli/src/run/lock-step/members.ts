import type { Socket } from 'node:net'
import type { MessagesAhead } from '@quipu/contract'
import type { ProgramMessage, ProgramReport } from './program-report.ts'

/** A process of the program, with its last report. */
type Member = {
  readonly socket: Socket
  pid: number | string
  /** It works, so that its last report is out of date. `ahead`: at an instant that the broker may not have reached. */
  works: boolean | 'ahead'
  /** Until when it may see that a process has joined or ended which it blocks for. */
  seesUntilMs: number
  /** The number of requests to fire timers, and of messages ahead. */
  fires: number
  batches: number
  report: ProgramReport | undefined
  readonly joinedMs: number
  /** Whether it joined a program that had started. */
  readonly isLate: boolean
  /** Whether it has had a connection to the gateway. */
  hasConnected: boolean
}

/**
 * A Node process that has never connected may still load modules, which does not show: it counts as idle after this time.
 * A process that knows all of its work counts at once.
 */
const LOADED_WITHIN_MS = 2000
const mayLoad = ({ report, joinedMs, isLate, hasConnected }: Member): boolean =>
  isLate &&
  !report?.blocked &&
  !report?.isWhole &&
  !hasConnected &&
  performance.now() - joinedMs < LOADED_WITHIN_MS

/** A program that keeps a connection which has ended does not stop the clock for longer. */
const SEEN_WITHIN_MS = 2000

export type MembersEvents = {
  /** Something was reported, or a process has ended. */
  readonly changed: () => void
  /** The program has received this number of the messages ahead that it was given. */
  readonly receivedAhead: (count: number) => void
  /** Whether the program is at an instant that the broker has not reached. */
  readonly isAhead: () => boolean
  /** Something in the program does not follow the clock. */
  readonly inexact: (reason: string) => void
  /** Whether a process has connected, although its connection may not have arrived here. */
  readonly hasConnected: (id: number | string) => boolean
}

/** The processes of the program that report when they are idle. */
export class Members {
  /** Whether the program is done with its start. */
  hasStarted = false
  readonly #events: MembersEvents
  readonly #members = new Set<Member>()
  /** By id. A closed one stays until no report names it: its bytes show that an older report is out of date. */
  readonly #connections = new Map<string, Socket>()
  /** Connections that were closed, and how many reports since then did not name them. */
  readonly #closed = new Map<string, number>()
  /** Connections that ended while the program waited on them, and until when it is given time to see that. */
  readonly #broken = new Map<string, number>()
  /** The numbers of processes that have left. */
  readonly #left = new Set<number | string>()
  /** The last question to all processes whether they are still idle, and the state that they were asked about. */
  #question = 0
  #asked = ''

  constructor(events: MembersEvents) {
    this.#events = events
  }

  get isEmpty(): boolean {
    return this.#members.size === 0
  }

  /** Whether each process is idle, and all bytes in both directions have arrived. */
  get areDone(): boolean {
    if (this.isEmpty) return false
    for (const member of this.#members) {
      const { report, fires, batches, works, seesUntilMs } = member
      if (!report || works === true || seesUntilMs > performance.now() || mayLoad(member)) return false
      if (report.blocked) continue
      if (report.fired !== fires || report.batches !== batches) return false
      if (works) return this.#events.isAhead()
      // It is about to see the end of another one.
      if (report.children.some((pid) => this.#left.has(pid))) return false
      if (report.children.some((pid) => !this.#isMember(pid) && this.#events.hasConnected(pid))) return false
      for (const [id, read, written] of report.connections) {
        const connection = this.#connections.get(id)
        if (!connection || connection.bytesWritten !== read || connection.bytesRead !== written) return false
        if ((this.#broken.get(id) ?? 0) > performance.now()) return false
      }
    }
    return this.#someMayRun && (this.#members.size === 1 || this.#haveConfirmed)
  }

  #isMember(id: number | string): boolean {
    for (const { pid } of this.#members) if (pid === id) return true
    return false
  }

  /** Processes that all block for others wait for something that is not seen. */
  get #someMayRun(): boolean {
    for (const { report } of this.#members) if (!report?.blocked || report.next !== null) return true
    return false
  }

  /**
   * One process may have woken another after that one reported. So each is asked once more when all are idle, and counts as
   * idle if it has not worked in between.
   */
  get #haveConfirmed(): boolean {
    const state = JSON.stringify([...this.#members].map(({ report }) => ({ ...report, confirmed: 0 })))
    if (state === this.#asked) {
      for (const { report } of this.#members)
        if (!report?.blocked && report?.confirmed !== this.#question) return false
      return true
    }
    this.#asked = state
    this.#question += 1
    for (const { socket } of this.#members) socket.write(`confirm ${this.#question}\n`)
    return false
  }

  /** Whether a process that knows all of its work waits for its first timer. A Node process may still load modules. */
  get haveBegun(): boolean {
    for (const { report } of this.#members)
      if (report && report.next !== null && (report.isWhole || report.blocked)) return true
    return false
  }

  /** When the next timer is due; null if there is none. */
  get next(): number | null {
    let next: number | null = null
    for (const { report } of this.#members)
      if (report && report.next !== null) next = Math.min(next ?? report.next, report.next)
    return next
  }

  add(socket: Socket): void {
    const joinedMs = performance.now()
    const member: Member = {
      socket,
      pid: 0,
      works: false,
      seesUntilMs: 0,
      fires: 0,
      batches: 0,
      report: undefined,
      joinedMs,
      isLate: this.hasStarted,
      hasConnected: false,
    }
    this.#members.add(member)
    let rest = ''
    socket.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n')
      rest = lines.pop()!
      for (const line of lines) this.#receive(member, JSON.parse(line) as ProgramReport | ProgramMessage)
      // A process that has connected before this report is accepted in this turn of the event loop.
      setImmediate(this.#events.changed)
    })
    socket.on('error', () => undefined)
    socket.once('close', () => {
      this.#members.delete(member)
      this.#left.add(member.pid)
      this.#lookAgain(SEEN_WITHIN_MS)
      if (member.batches > (member.report?.batches ?? 0)) this.#events.receivedAhead(0)
      this.#events.changed()
    })
  }

  connected(id: string, socket: Socket): void {
    this.#connections.set(id, socket)
    socket.once('close', () => {
      this.#closed.set(id, 0)
      this.#events.changed()
    })
  }

  /** A connection has ended, or is about to, while the program waited on it: no byte shows that to the program. */
  broke(socket: unknown): void {
    const id = this.idOf(socket)
    if (id !== undefined) this.#broken.set(id, performance.now() + SEEN_WITHIN_MS)
  }

  /** The id of a connection. */
  idOf(socket: unknown): string | undefined {
    for (const [id, connection] of this.#connections) if (connection === socket) return id
    return undefined
  }

  /** The broker has reached this time; fires the timers that are due if it says so. */
  reach(now: number, fires: boolean): void {
    this.#followArrival()
    if (fires) this.#fire(now)
  }

  #fire(now: number): void {
    for (const member of this.#members) {
      const { next } = member.report ?? { next: null }
      if (next === null || next > now) continue
      if (member.report?.blocked) member.works = true
      else member.socket.write(`fire ${++member.fires}\n`)
    }
  }

  /** Gives messages of later instants to a program of one process; false if that is not possible. */
  give(id: string | undefined, frames: MessagesAhead['frames']): boolean {
    const [member, ...others] = this.#members
    if (!member || others.length > 0 || id === undefined || member.report?.ahead === null) return false
    member.batches += 1
    member.socket.write(`ahead ${JSON.stringify({ id, frames })}\n`)
    return true
  }

  /** A program that still works at its time does so from now on at the time of the broker, if that has reached it. */
  #followArrival(): void {
    if (this.#events.isAhead()) return
    for (const member of this.#members)
      if (member.works === 'ahead') {
        member.works = true
        member.socket.write('arrived\n')
      }
  }

  /** Asks each process for a report, or ends its part in the replay. */
  send(word: 'report' | 'release' | 'close'): void {
    for (const { socket } of this.#members)
      if (word === 'close') socket.destroy()
      else socket.write(`${word}\n`)
  }

  /** Those that block for another process are about to see its end, or no longer wait for its start. */
  #lookAgain(withinMs: number): void {
    for (const member of this.#members)
      if (member.report?.blocked === 'process') member.seesUntilMs = performance.now() + withinMs
  }

  #receive(member: Member, message: ProgramReport | ProgramMessage): void {
    if ('inexact' in message) return this.#events.inexact(message.inexact)
    if ('pid' in message) {
      member.pid = message.pid
      this.#left.delete(message.pid)
      return this.#lookAgain(0)
    }
    if ('unblocked' in message) {
      member.works = true
      return
    }
    member.works = message.works ? 'ahead' : false
    member.seesUntilMs = message.blocked === 'process' ? performance.now() + LOADED_WITHIN_MS : 0
    const batches = member.report?.batches ?? 0
    member.report = message
    member.hasConnected ||= message.connections.length > 0
    if (this.#closed.size > 0) this.#forgetClosed()
    if (message.batches > batches) this.#events.receivedAhead(message.ahead ?? 0)
    this.#followArrival()
  }

  /** The first report after the end of a connection may have been under way when it was opened. */
  #forgetClosed(): void {
    const named = new Set<string>()
    for (const { report } of this.#members) for (const [id] of report?.connections ?? []) named.add(id)
    const areAllHeard = this.#members.size === 1
    for (const [id, reports] of this.#closed) {
      if (named.has(id) || !areAllHeard) continue
      this.#closed.set(id, reports + 1)
      if (reports === 0) continue
      this.#closed.delete(id)
      this.#broken.delete(id)
      this.#connections.delete(id)
    }
  }
}

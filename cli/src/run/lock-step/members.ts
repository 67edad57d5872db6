import type { Socket } from 'node:net'
import type { MessagesAhead } from '@quipu/contract'

/** What a process of the program reports when its event loop is idle. */
export type ProgramReport = {
  /** The number of requests to fire timers that it has finished. */
  readonly fired: number
  /** The number of times that it was given messages of later instants, and how many of the last it has received. */
  readonly batches: number
  readonly ahead: number
  /** When its next timer is due, in milliseconds since 1970. */
  readonly next: number | null
  /** Bytes read and written on each connection to the gateway. */
  readonly connections: readonly (readonly [id: string, read: number, written: number])[]
}

/** A process of the program, with its last report. */
type Member = {
  readonly socket: Socket
  /** The number of requests to fire timers, and of messages ahead. */
  fires: number
  batches: number
  report: ProgramReport | undefined
}

export type MembersEvents = {
  /** Something was reported, or a process has ended. */
  readonly changed: () => void
  /** The program has received this number of the messages ahead that it was given. */
  readonly receivedAhead: (count: number) => void
}

/** The processes of the program that report when they are idle. */
export class Members {
  readonly #events: MembersEvents
  readonly #members = new Set<Member>()
  /** By id; undefined once closed, because a report may name a connection until the program notices. */
  readonly #connections = new Map<string, Socket | undefined>()

  constructor(events: MembersEvents) {
    this.#events = events
  }

  get isEmpty(): boolean {
    return this.#members.size === 0
  }

  /** Whether each process is idle, and all bytes in both directions have arrived. */
  get areDone(): boolean {
    if (this.isEmpty) return false
    for (const { report, fires, batches } of this.#members) {
      if (!report || report.fired !== fires || report.batches !== batches) return false
      for (const [id, read, written] of report.connections) {
        if (!this.#connections.has(id)) return false
        const connection = this.#connections.get(id)
        if (connection && (connection.bytesWritten !== read || connection.bytesRead !== written)) return false
      }
    }
    return true
  }

  /** When the next timer is due; null if there is none. */
  get next(): number | null {
    let next: number | null = null
    for (const { report } of this.#members)
      if (report && report.next !== null) next = Math.min(next ?? report.next, report.next)
    return next
  }

  add(socket: Socket): void {
    const member: Member = { socket, fires: 0, batches: 0, report: undefined }
    this.#members.add(member)
    let rest = ''
    socket.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n')
      rest = lines.pop()!
      // Only the last report counts.
      if (lines.length > 0) this.#receive(member, JSON.parse(lines.at(-1)!) as ProgramReport)
      this.#events.changed()
    })
    socket.on('error', () => undefined)
    socket.once('close', () => {
      this.#members.delete(member)
      if (member.batches > (member.report?.batches ?? 0)) this.#events.receivedAhead(0)
      this.#events.changed()
    })
  }

  connected(id: string, socket: Socket): void {
    this.#connections.set(id, socket)
    socket.once('close', () => {
      this.#connections.set(id, undefined)
      this.#events.changed()
    })
  }

  /** The id of a connection. */
  idOf(socket: unknown): string | undefined {
    for (const [id, connection] of this.#connections) if (connection === socket) return id
    return undefined
  }

  /** Fires the timers that are due. */
  fire(now: number): void {
    for (const member of this.#members) {
      const { next } = member.report ?? { next: null }
      if (next === null || next > now) continue
      member.fires += 1
      member.socket.write(`fire ${member.fires}\n`)
    }
  }

  /** Gives messages of later instants to a program of one process; false if that is not possible. */
  give(id: string | undefined, frames: MessagesAhead['frames']): boolean {
    const [member, ...others] = this.#members
    if (!member || others.length > 0 || id === undefined) return false
    member.batches += 1
    member.socket.write(`ahead ${JSON.stringify({ id, frames })}\n`)
    return true
  }

  /** Sends a word to each process: `report` or `release`. */
  send(word: 'report' | 'release'): void {
    for (const { socket } of this.#members) socket.write(`${word}\n`)
  }

  close(): void {
    for (const { socket } of this.#members) socket.destroy()
  }

  #receive(member: Member, report: ProgramReport): void {
    const batches = member.report?.batches ?? 0
    member.report = report
    if (report.batches > batches) this.#events.receivedAhead(report.ahead)
  }
}

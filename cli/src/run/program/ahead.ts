import type { Gate } from './gate.ts'

/** Messages of later instants to one connection. */
export type Ahead = {
  readonly id: string
  readonly frames: readonly (readonly [at: number, frame: string])[]
  /** The number of messages that the program has received. */
  received: number
}

type Program = {
  readonly clock: { reach(instant: number): void }
  readonly schedule: { next(): number | null }
  readonly gate: Gate
}

/** Changes when the program sends something to the gateway, or opens or closes a connection to it. */
export function writtenTo({ sockets }: Gate): number {
  let written = 0
  for (const { bytesWritten } of sockets) written += bytesWritten + 1
  return written
}

/** False if the program has connections, processes or threads through which it may do something that we do not see. */
export function seesAll(resources: readonly string[]): boolean {
  const hidden = /^(TCP|UDP|TLS|Process|MessagePort|Worker)/
  return !resources.some((resource) => hidden.test(resource))
}

/**
 * The program receives the messages of the next instant. False if none is
 * left, or if a timer is due before.
 */
export function receiveAhead({ clock, schedule, gate }: Program, ahead: Ahead): boolean {
  const [at] = ahead.frames[ahead.received] ?? []
  const due = schedule.next()
  const socket = [...gate.sockets].find(({ gateId }) => gateId === ahead.id)
  if (at === undefined || !socket || (due !== null && due < at)) return false
  clock.reach(at)
  const frames: Buffer[] = []
  for (let next = ahead.frames[ahead.received]; next?.[0] === at; next = ahead.frames[ahead.received]) {
    frames.push(Buffer.from(next[1], 'base64'))
    ahead.received += 1
  }
  socket.push(Buffer.concat(frames))
  return true
}

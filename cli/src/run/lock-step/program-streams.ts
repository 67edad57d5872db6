import { participantHeader } from '@quipu/contract'

/** A stream of the program, with the messages that the program may not see yet. */
export type ProgramStream = {
  readonly name: string
  readonly gateId: string | undefined
  held: (() => void)[]
}

type StreamEvents = {
  /** A message has arrived from the broker. */
  readonly arrived: () => void
  /** The program was given this number of messages. */
  readonly passed: (count: number) => void
}

/**
 * The streams of the program. In a replay all messages of an instant are collected first; then the program gets those of
 * one stream, and those of the next when it is done. Streams take turns in the order in which they were opened.
 */
export class ProgramStreams {
  isReplaying = false
  /** Messages that arrived here. */
  arrivedCount = 0
  readonly #events: StreamEvents
  readonly #open = new Set<ProgramStream>()
  #names = 0

  constructor(events: StreamEvents) {
    this.#events = events
  }

  /** A stream of the process with this id. */
  create(gateId: string | undefined): ProgramStream {
    this.#names += 1
    return { name: `${this.#names}`, gateId, held: [] }
  }

  open(stream: ProgramStream): void {
    this.#open.add(stream)
  }

  named(name: string): ProgramStream | undefined {
    return [...this.#open].find((stream) => stream.name === name)
  }

  /** Passes a message on to the program, in a replay at its turn. */
  deliver(stream: ProgramStream, pass: () => void): void {
    stream.held.push(pass)
    this.arrivedCount += 1
    if (this.isReplaying) this.#events.arrived()
    else this.#pass(stream)
  }

  /** Passes on what was collected. */
  end(stream: ProgramStream): void {
    this.#pass(stream)
    this.#open.delete(stream)
  }

  /** Passes on the messages of the next stream; false if there are none. */
  passNext(): boolean {
    const next = [...this.#open].find(({ held }) => held.length > 0)
    if (next) this.#pass(next)
    return next !== undefined
  }

  passAll(): void {
    for (const stream of this.#open) this.#pass(stream)
  }

  #pass(stream: ProgramStream): void {
    const { held } = stream
    stream.held = []
    this.#events.passed(held.length)
    for (const pass of held) pass()
  }
}

/** The header for the handshake of a stream. */
export const streamHeader = (participant: string, { name }: ProgramStream): readonly [string, string] => [
  participantHeader,
  `${participant} ${name}`,
]

import type { Random } from '../../support/random.ts'
import { currentProcess, type SimulatedProcess } from '../faults/event-loop.ts'
import { injected, unanswered } from '../faults/injected-error.ts'
import { DoubleClient, type Network, terminated } from '../postgres/client.ts'
import type { DoubleServer, Session } from '../postgres/server.ts'
import type { Outcome } from '../postgres/tables.ts'

/** Called after each statement, with its result. */
export type OnStatement = (text: string, values: readonly unknown[], outcome: Outcome) => void

/** How long the driver waits for a connection. */
const CONNECT_MS = 5_000

/** The network between one process and the database. */
export class DatabaseNetwork implements Network {
  readonly server: DoubleServer
  readonly #process: SimulatedProcess
  readonly #random: Random
  readonly #onStatement: OnStatement
  readonly #sessions = new Set<Session>()
  readonly #clients = new Set<DoubleClient>()
  /** Nothing arrives in either direction. */
  isSilent = false

  constructor(
    server: DoubleServer,
    process: SimulatedProcess,
    random: Random,
    onStatement: OnStatement = () => undefined,
  ) {
    this.#onStatement = onStatement
    this.server = server
    this.#process = process
    this.#random = random
  }

  opened(session: Session): void {
    this.#sessions.add(session)
  }

  async connect(client: DoubleClient): Promise<void> {
    this.#clients.add(client)
    await this.#outside(async () => {
      const isLate = await Promise.race([this.#travel(), milliseconds(CONNECT_MS).then(() => true)])
      await this.#resumed()
      if (isLate) throw injected(new Error('timeout expired'))
    })
  }

  /** A statement that was sent is executed when it arrives, also if its client is gone by then. */
  send(client: DoubleClient, text: string, values: readonly unknown[]): Promise<Outcome> {
    return this.#outside(async () => {
      const { session } = client
      const outcome = await session.during(async () => {
        await this.#travel()
        if (session.isOver) return undefined
        const stored = await session.run(text, values)
        this.#onStatement(text, values, stored)
        return stored
      })
      await this.#travel()
      await this.#resumed()
      if (outcome) return outcome
      // The machine of the server resets a connection that the server has closed, such as after a long pause in a transaction.
      currentProcess.run(this.#process, () => client.broken(terminated()))
      return unanswered()
    })
  }

  /** Breaks all connections. */
  cut(): void {
    const clients = [...this.#clients]
    this.#clients.clear()
    for (const client of clients) currentProcess.run(this.#process, () => client.broken(terminated()))
  }

  /** The process has ended; its statements may still arrive. */
  ended(): void {
    for (const session of this.#sessions) session.closeWhenIdle()
  }

  /** A paused process receives responses when it continues, an ended one never. */
  async #resumed(): Promise<void> {
    while (this.#process.isPaused) await milliseconds(1)
    if (this.#process.isOver) await unanswered()
  }

  async #travel(): Promise<void> {
    await milliseconds(this.#random.integer(1, 3))
    while (this.isSilent) await milliseconds(1)
  }

  /** The network and the database run also while the process is paused. */
  #outside<Value>(run: () => Promise<Value>): Promise<Value> {
    return currentProcess.run(undefined, run)
  }
}

const milliseconds = (ms: number): Promise<void> => new Promise((resume) => setTimeout(resume, ms))

/** The client class of the driver: its network is that of the process which creates it. */
export const clientClass = (networkOf: (process: SimulatedProcess) => DatabaseNetwork) =>
  class extends DoubleClient {
    constructor(config: object) {
      const process = currentProcess.getStore()
      if (!process) throw injected(new Error('bug: no process of the simulation connects to the database'))
      super(networkOf(process), config)
    }
  }

import type { ClientClass } from '../../../broker/src/postgres/connection.ts'
import type { Random } from '../../support/random.ts'
import { injected, unanswered } from '../faults/injected-error.ts'
import type { CallControl, Note } from '../faults/store.ts'
import { DoubleClient, type Network, terminated } from './client.ts'
import type { DoubleServer, Session } from './server.ts'
import { type Outcome, singleLine, sqlError } from './tables.ts'

/**
 * The fault of a statement:
 *
 *   cut         the process ends while the statement is in flight
 *   lost        the connection breaks; the statement is executed before, later or never
 *   silent      no response arrives; the statement is executed at once, later or never
 *   refused     the server refuses the statement and continues
 *   terminated  an administrator closes the connection
 *   restart     the server crashes before or after the statement and starts again
 */
export const FAULTS = ['cut', 'lost', 'lost', 'silent', 'refused', 'terminated', 'restart'] as const
export type Fault = (typeof FAULTS)[number]

const REFUSALS = [
  ['53100', 'could not extend file: No space left on device'],
  ['40001', 'could not serialize access due to concurrent update'],
] as const

/** TCP keep-alive notices a silent connection after this time; a client with a timeout gives up earlier. */
const KEEP_ALIVE_TURNS = 40_000

export type NetworkParts = {
  readonly server: DoubleServer
  readonly control: CallControl<Fault>
  readonly random: Random
  readonly note: Note
}

/** The network between one process and the server. */
export class FaultyNetwork implements Network {
  readonly server: DoubleServer
  readonly #parts: NetworkParts
  readonly #sessions = new Set<Session>()
  #cut: () => void = () => undefined
  isOver = false
  /** Number of sent statements. */
  sent = 0
  readonly ended: Promise<void> = new Promise((resolve) => {
    this.#cut = resolve
  })

  constructor(parts: NetworkParts) {
    this.#parts = parts
    this.server = parts.server
  }

  /** The client class of the process. */
  get Client(): ClientClass {
    const network = this
    return class extends DoubleClient {
      constructor(config: object) {
        super(network, config)
      }
    } as unknown as ClientClass
  }

  /** Ends the process; statements in flight may still arrive. */
  cut(): void {
    this.isOver = true
    for (const session of this.#sessions) session.closeWhenIdle()
    this.#cut()
  }

  opened(session: Session): void {
    this.#sessions.add(session)
    if (this.isOver) session.closeWhenIdle()
  }

  async connect(): Promise<void> {
    const { control, random } = this.#parts
    await control.ready()
    if (this.isOver) return unanswered()
    const fault = control.next()
    await turns(random.pick([0, 1, 2]))
    if (fault === undefined) return this.isOver ? unanswered() : undefined
    this.#parts.note(`connect: ${fault}`)
    if (fault === 'restart') this.server.crash(random)
    if (fault === 'cut') return this.#die()
    if (fault === 'silent') {
      await turns(4_000)
      throw injected(new Error('timeout expired'))
    }
    if (fault === 'refused') throw injected(sqlError('53300', 'sorry, too many clients already'))
    if (fault === 'restart') throw injected(sqlError('57P03', 'the database system is starting up'))
    throw injected(Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' }))
  }

  async send(client: DoubleClient, text: string, values: readonly unknown[]): Promise<Outcome> {
    const { control, random, note } = this.#parts
    await control.ready()
    if (this.isOver || client.session.isOver) return unanswered()
    this.sent += 1
    const fault = control.next()
    note(`${singleLine(text).slice(0, 60)}: ${fault ?? 'sent'}`)
    await turns(random.pick([0, 0, 1, 3]))
    const { session } = client
    const run = () => session.run(text, values)
    if (fault !== undefined) return this.#runWithFault(fault, client, run)
    const outcome = await session.during(run)
    await turns(random.pick([0, 0, 1, 5]))
    return this.isOver ? unanswered() : outcome
  }

  async #runWithFault(fault: Fault, client: DoubleClient, run: () => Promise<Outcome>): Promise<Outcome> {
    const { random } = this.#parts
    const [code, message] = random.pick(REFUSALS)
    switch (fault) {
      case 'refused':
        throw injected(sqlError(code, message))
      case 'terminated':
        client.session.close()
        void turns(1).then(() => client.broken(terminated()))
        throw injected(sqlError('57P01', 'terminating connection due to administrator command'))
      case 'restart':
        if (random.chance(0.5)) await run().catch(() => undefined)
        this.server.crash(random)
        return unanswered()
      case 'silent':
        void client.session.during(() => this.#runSometime(run))
        await turns(KEEP_ALIVE_TURNS)
        client.broken(terminated())
        return unanswered()
      case 'lost':
        void client.session.during(() => this.#runSometime(run))
        await turns(random.pick([0, 1, 5]))
        client.broken(terminated())
        return unanswered()
      case 'cut':
        void client.session.during(() => this.#runSometime(run))
        return this.#die()
    }
  }

  /** Executes a statement now, after the client gave up, or never. */
  async #runSometime(run: () => Promise<Outcome>): Promise<void> {
    const { random } = this.#parts
    const when = random.pick(['now', 'late', 'never'] as const)
    const later = random.pick([1, 10, 100, 700])
    if (when === 'never') return
    if (when === 'late') await turns(later)
    await run().catch(() => undefined)
  }

  #die(): Promise<never> {
    this.cut()
    return unanswered()
  }
}

/** Waits for turns of the event loop, which are milliseconds of simulated time. */
const turns = async (count: number): Promise<void> => {
  if (count > 0) await new Promise<void>((resume) => setTimeout(resume, count))
}

import type { ClientClass } from '../../../server/src/postgres/connection.ts'
import type { Random } from '../../random.ts'
import { made, unanswered } from '../faults/injected-error.ts'
import type { Note } from '../faults/store.ts'
import type { Gate } from '../faults/store-calls.ts'
import { DoubleClient, terminated, type Wire } from './client.ts'
import type { DoubleServer, Session } from './server.ts'
import { type Outcome, squashed } from './statements.ts'
import { sqlError } from './tables.ts'

/**
 * What goes wrong with a statement:
 *
 *   cut         the process ends while it is on its way
 *   lost        the connection breaks: before it arrived, after it was carried out, or it is carried out later
 *   silent      no answer comes; it is carried out, or not, or later
 *   refused     the server says no, and goes on
 *   terminated  an administrator ends the connection
 *   restart     the server crashes, before it is carried out or after, and comes back
 */
export const TROUBLES = ['cut', 'lost', 'lost', 'silent', 'refused', 'terminated', 'restart'] as const
export type Trouble = (typeof TROUBLES)[number]

const REFUSALS = [
  ['53100', 'could not extend file: No space left on device'],
  ['40001', 'could not serialize access due to concurrent update'],
] as const

/** After so long a silence the system finds out that nobody is there. A client that sets a limit gives up sooner. */
const KEEP_ALIVE_TURNS = 40_000

export type WireParts = {
  readonly server: DoubleServer
  readonly gate: Gate<Trouble>
  readonly random: Random
  readonly note: Note
}

/** The way of one process to the server. */
export class BadWire implements Wire {
  readonly server: DoubleServer
  readonly #parts: WireParts
  readonly #sessions = new Set<Session>()
  #cut: () => void = () => undefined
  isOver = false
  /** How many statements have set out. */
  sent = 0
  readonly dead: Promise<void> = new Promise((resolve) => {
    this.#cut = resolve
  })

  constructor(parts: WireParts) {
    this.#parts = parts
    this.server = parts.server
  }

  /** The class that the process makes its connections with. */
  get Client(): ClientClass {
    const wire = this
    return class extends DoubleClient {
      constructor(config: object) {
        super(wire, config)
      }
    } as unknown as ClientClass
  }

  /** The process is over: what it has sent may still arrive. */
  cut(): void {
    this.isOver = true
    for (const session of this.#sessions) session.hangUp()
    this.#cut()
  }

  opened(session: Session): void {
    this.#sessions.add(session)
    if (this.isOver) session.hangUp()
  }

  async dial(): Promise<void> {
    const { gate, random } = this.#parts
    await gate.passed()
    if (this.isOver) return unanswered()
    const trouble = gate.next()
    await turns(random.pick([0, 1, 2]))
    if (trouble === undefined) return this.isOver ? unanswered() : undefined
    this.#parts.note(`dial: ${trouble}`)
    if (trouble === 'restart') this.server.crash(random)
    if (trouble === 'cut') return this.#die()
    if (trouble === 'silent') {
      await turns(4_000)
      throw made(new Error('timeout expired'))
    }
    if (trouble === 'refused') throw made(sqlError('53300', 'sorry, too many clients already'))
    if (trouble === 'restart') throw made(sqlError('57P03', 'the database system is starting up'))
    throw made(Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' }))
  }

  async carry(client: DoubleClient, text: string, values: readonly unknown[]): Promise<Outcome> {
    const { gate, random, note } = this.#parts
    await gate.passed()
    if (this.isOver || client.session.isOver) return unanswered()
    this.sent += 1
    const trouble = gate.next()
    note(`${squashed(text).slice(0, 60)}: ${trouble ?? 'carried'}`)
    await turns(random.pick([0, 0, 1, 3]))
    const { session } = client
    const run = () => session.run(text, values)
    if (trouble !== undefined) return this.#spoil(trouble, client, run)
    const outcome = await session.during(run)
    await turns(random.pick([0, 0, 1, 5]))
    return this.isOver ? unanswered() : outcome
  }

  async #spoil(trouble: Trouble, client: DoubleClient, run: () => Promise<Outcome>): Promise<Outcome> {
    const { random } = this.#parts
    const [code, message] = random.pick(REFUSALS)
    switch (trouble) {
      case 'refused':
        throw made(sqlError(code, message))
      case 'terminated':
        client.session.close()
        void turns(1).then(() => client.broken(terminated()))
        throw made(sqlError('57P01', 'terminating connection due to administrator command'))
      case 'restart':
        if (random.chance(0.5)) await run().catch(() => undefined)
        this.server.crash(random)
        return unanswered()
      case 'silent':
        void client.session.during(() => this.#anyway(run))
        await turns(KEEP_ALIVE_TURNS)
        client.broken(terminated())
        return unanswered()
      case 'lost':
        void client.session.during(() => this.#anyway(run))
        await turns(random.pick([0, 1, 5]))
        client.broken(terminated())
        return unanswered()
      case 'cut':
        void client.session.during(() => this.#anyway(run))
        return this.#die()
    }
  }

  /** It is carried out now, or only after the client has given up, or never. */
  async #anyway(run: () => Promise<Outcome>): Promise<void> {
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

/** Turns of the event loop, and so milliseconds of the simulation's time. */
const turns = async (count: number): Promise<void> => {
  if (count > 0) await new Promise<void>((resume) => setTimeout(resume, count))
}

import type { Server } from 'node:http'
import type { Random } from '../../support/random.ts'
import { currentProcess, type SimulatedProcess } from '../faults/event-loop.ts'
import type { Note } from '../faults/store.ts'
import { DoubleServer } from '../postgres/server.ts'
import type { Outcome, Tables } from '../postgres/tables.ts'
import { clientClass, DatabaseNetwork, type OnStatement } from './database.ts'
import { outside, SimulatedMachine } from './machine.ts'
import { type Host, SimulatedNetwork } from './network.ts'
import { NodeHost, type Process } from './node.ts'

const clients: Host = { name: 'clients', process: undefined, accept: undefined }

/** The host of the code that runs now. */
const hostNow = (): Host => (currentProcess.getStore() as Process | undefined)?.host ?? clients

/** Nodes, the network between them and a database, in one process. The seed decides everything. */
export class SimulatedCluster {
  readonly machine: SimulatedMachine
  readonly network: SimulatedNetwork
  readonly nodes: readonly NodeHost[]
  readonly #database: DoubleServer
  readonly #note: Note
  /** The clock of the database, compared with that of the nodes. A promoted standby has another one. */
  databaseAheadMs = 0
  #pauseClaim: ((process: SimulatedProcess, ...statement: Parameters<OnStatement>) => void) | undefined
  readonly #violated = Promise.withResolvers<never>()

  constructor(random: Random, note: Note, size: number) {
    this.#note = note
    this.#violated.promise.catch(() => undefined)
    this.machine = new SimulatedMachine({
      connect: (address) => this.network.connect(hostNow(), address),
      listens: (server) => {
        ;(hostNow() as NodeHost).server = server as Server
      },
      host: hostNow,
      Client: clientClass((process) => (process as Process).database),
    })
    this.network = new SimulatedNetwork(random)
    this.#database = new DoubleServer({
      pause: () => outside(() => this.sleep(random.pick([1, 1, 2, 6]))),
      nowMs: () => this.databaseNowMs,
    })
    this.nodes = Array.from({ length: size }, (_, index) => this.#newNode(index + 1, random))
    for (const node of this.nodes) this.network.hosts.set(node.name, node)
  }

  /** Rejects when the database shows a violated guarantee. */
  get violated(): Promise<never> {
    return this.#violated.promise
  }

  /** Reports a violated guarantee. An error in the program's code path would look like a failed statement. */
  violate(message: string): void {
    this.#violated.reject(new Error(message))
  }

  get databaseNowMs(): number {
    return this.machine.loop.nowMs + this.databaseAheadMs
  }

  /** The node that holds a journal, or has held it last. */
  holderOf(journal: string): NodeHost | undefined {
    const address = this.tables.journals.get(journal)?.address
    return this.nodes.find(({ url }) => url === address)
  }

  get tables(): Tables {
    return this.#database.tables
  }

  get running(): readonly NodeHost[] {
    return this.nodes.filter(({ isRunning }) => isRunning)
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resume) => setTimeout(resume, ms))
  }

  /** Ends the process of a node. The other hosts notice, unless the network is silent. */
  kill(node: NodeHost): void {
    node.kill()
    this.network.ended(node.process!)
  }

  end(): void {
    for (const node of this.running) node.kill()
    this.machine.end()
  }

  #newNode(number: number, random: Random): NodeHost {
    return new NodeHost(
      number,
      this.#note,
      (process) =>
        new DatabaseNetwork(this.#database, process, random, (...statement) => {
          this.#onStatement(...statement)
          this.#pauseClaim?.(process, ...statement)
        }),
    )
  }

  /** Pauses the next node that claims a journal, between its look at the lease and the takeover. */
  pauseClaimOf(journal: string): Promise<Process> {
    return new Promise((resolve) => {
      this.#pauseClaim = (process, text, [world]) => {
        if (world !== journal || !text.startsWith('SELECT fence, market FROM quipu_journals')) return
        this.#pauseClaim = undefined
        const claiming = process as Process
        claiming.isPaused = true
        resolve(claiming)
      }
    })
  }

  /** An append that was stored must have the latest fencing number of its world. */
  readonly #onStatement = (
    text: string,
    [world, fence, after, seq]: readonly unknown[],
    outcome: Outcome,
  ) => {
    if (!text.includes('INSERT INTO quipu_events') || !outcome.rowCount) return
    // The name of a journal ends with a random number.
    this.#note(`stored ${String(world).split('.')[0]} ${after} to ${seq} with fence ${fence}`)
    const { fence: latest } = this.tables.journals.get(String(world))!
    if (fence !== latest)
      this.violate(`events ${after} to ${seq} of ${world} were stored by a holder that lost it`)
  }
}

import type { State, WorldId } from '@quipu/core'
import { openPostgresJournal } from '../../../broker/src/journal/postgres/journal.ts'
import { newHolder } from '../../../broker/src/journal/postgres/lease.ts'
import { type ClientClass, openPool, withConnection } from '../../../broker/src/postgres/connection.ts'
import {
  loadPostgresSnapshot,
  writePostgresSnapshot,
} from '../../../broker/src/query-tables/postgres/snapshot.ts'
import type { Random } from '../../support/random.ts'
import { SEGMENT_EVENTS } from '../checker/reference.ts'
import { unanswered } from '../faults/injected-error.ts'
import { type Access, CallControl, type Note, type Store } from '../faults/store.ts'
import { FAULTS, type Fault, FaultyNetwork } from './network.ts'
import { DoubleServer } from './server.ts'
import { withRow } from './tables.ts'

const URL = 'postgres://quipu@127.0.0.1/simulated'
const WORLD = 'simulated' as WorldId

/** The clock of leases stands still, so that a slow machine ends no lease; only the fencing number decides. */
const clock = (): number => 0

/** The journal and snapshots of a world in PostgreSQL, with a faulty network and a server that crashes. */
export class PostgresStore implements Store {
  readonly isShared = true
  readonly holdsReads = true
  readonly #random: Random
  readonly #note: Note
  readonly #control = new CallControl<Fault>()
  readonly #server: DoubleServer
  #networks: FaultyNetwork[] = []
  /** All processes in the order of their start. */
  readonly #holders = new Map<string, FaultyNetwork>()
  #restarts = 0

  constructor(random: Random, note: Note) {
    this.#random = random
    this.#note = note
    this.#server = new DoubleServer({
      synchronousCommit: random.pick(['on', 'off']),
      pause: () => new Promise((resume) => setTimeout(resume, random.pick([1, 1, 2, 6]))),
    })
  }

  get isHeld(): boolean {
    return this.#control.isHeld
  }

  connect(): Access {
    const network = this.#newNetwork()
    const { Client } = network
    const holder = newHolder()
    this.#holders.set(holder.name, network)
    const pool = openPool(URL, Client)
    return {
      openJournal: async (lost) => {
        const options = { url: URL, world: WORLD, marketModel: 1, segmentEvents: SEGMENT_EVENTS, Client }
        const journal = await openPostgresJournal({ ...options, holder, onLost: lost, nowMs: clock })
        return network.isOver ? unanswered() : journal
      },
      snapshot: (journal, upTo) => loadPostgresSnapshot(pool, WORLD, journal, upTo),
      ended: network.ended,
      isEnded: () => network.isOver,
      sent: () => network.sent,
      isSuperseded: () => this.#isSuperseded(network),
      end: () => network.cut(),
    }
  }

  hold(): void {
    this.#control.hold()
  }

  release(count?: number): void {
    this.#control.release(count)
  }

  plan(): void {
    this.#control.plan(this.#random.integer(1, 12), this.#random.pick(FAULTS))
  }

  clearFaults(): void {
    this.#control.clearFaults()
  }

  stop(mode: 'cut' | 'kill'): void {
    for (const network of this.#networks) network.cut()
    this.#networks = []
    this.#control.clear()
    if (mode === 'kill') return
    this.#restarts += 1
    this.#server.crash(this.#random)
  }

  async writeSnapshot(state: State, hash: string): Promise<void> {
    const Client: ClientClass = this.#networks.at(-1)!.Client
    const { fence } = this.#server.tables.journals.get(WORLD)!
    await withConnection(
      URL,
      (connection) => writePostgresSnapshot(connection, WORLD, state, { hash, keep: 2, fence }),
      { timeoutMs: 0, Client },
    )
  }

  /** Changes one character of one line. */
  corruptSnapshot(): void {
    const random = this.#random
    const { tables } = this.#server
    const bySeq = tables.snapshots.get(WORLD) ?? new Map<number, ReadonlyMap<number, string>>()
    const [seq, lines] = random.pick([...bySeq]) ?? []
    if (!lines) return
    const [line, body] = random.pick([...lines])!
    const at = random.integer(0, body.length - 1)
    const corrupted = `${body.slice(0, at)}${body[at] === '1' ? '2' : '1'}${body.slice(at + 1)}`
    const rows = withRow(bySeq, seq!, withRow(lines, line, corrupted))
    this.#server.commit({ ...tables, snapshots: withRow(tables.snapshots, WORLD, rows) }, true)
  }

  counts(): Record<string, number> {
    return { serverRestarts: this.#restarts }
  }

  remove(): void {
    this.stop('kill')
  }

  #isSuperseded(network: FaultyNetwork): boolean {
    const { holder } = this.#server.tables.journals.get(WORLD)!
    const holding = this.#holders.get(holder)!
    const all = [...this.#holders.values()]
    return holding !== network && (holding.isOver || all.indexOf(holding) > all.indexOf(network))
  }

  #newNetwork(): FaultyNetwork {
    const network = new FaultyNetwork({
      server: this.#server,
      control: this.#control,
      random: this.#random,
      note: this.#note,
    })
    this.#networks.push(network)
    return network
  }
}

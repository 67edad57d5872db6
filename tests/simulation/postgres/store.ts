import type { State, WorldId } from '@quipu/core'
import { openPostgresJournal } from '../../../server/src/journal/postgres.ts'
import { newHolder } from '../../../server/src/journal/postgres-lease.ts'
import { type ClientClass, openPool, withConnection } from '../../../server/src/postgres/connection.ts'
import { loadPostgresSnapshot, writePostgresSnapshot } from '../../../server/src/views/postgres/snapshot.ts'
import type { Random } from '../../random.ts'
import { SEGMENT_EVENTS } from '../checker/reference.ts'
import { unanswered } from '../faults/injected-error.ts'
import type { Access, Note, Store } from '../faults/store.ts'
import { Gate } from '../faults/store-calls.ts'
import { DoubleServer } from './server.ts'
import { withRow } from './tables.ts'
import { BadWire, TROUBLES, type Trouble } from './wire.ts'

const URL = 'postgres://quipu@127.0.0.1/simulated'
const WORLD = 'simulated' as WorldId

/** No time passes for a lease here: a busy machine must not end one, and only the fencing number decides. */
const clock = (): number => 0

/** A world's journal and snapshots in PostgreSQL, on a bad network and a server that crashes. */
export class PostgresStore implements Store {
  readonly isShared = true
  readonly holdsReads = true
  readonly #random: Random
  readonly #note: Note
  readonly #gate = new Gate<Trouble>()
  readonly #server: DoubleServer
  #wires: BadWire[] = []
  /** Every process that ever was, in order. */
  readonly #holders = new Map<string, BadWire>()
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
    return this.#gate.isHeld
  }

  connect(): Access {
    const wire = this.#newWire()
    const { Client } = wire
    const holder = newHolder()
    this.#holders.set(holder.name, wire)
    const pool = openPool(URL, Client)
    return {
      openJournal: async (lost) => {
        const at = { url: URL, world: WORLD, marketModel: 2, segmentEvents: SEGMENT_EVENTS, Client }
        const journal = await openPostgresJournal({ ...at, holder, onLost: lost, nowMs: clock })
        return wire.isOver ? unanswered() : journal
      },
      snapshot: (journal, upTo) => loadPostgresSnapshot(pool, WORLD, journal, upTo),
      dead: wire.dead,
      isDead: () => wire.isOver,
      sent: () => wire.sent,
      isSuperseded: () => this.#isSuperseded(wire),
      end: () => wire.cut(),
    }
  }

  hold(): void {
    this.#gate.hold()
  }

  letGo(count?: number): void {
    this.#gate.letGo(count)
  }

  plan(): void {
    this.#gate.plan(this.#random.integer(1, 12), this.#random.pick(TROUBLES))
  }

  calm(): void {
    this.#gate.calm()
  }

  stop(how: 'cut' | 'kill'): void {
    for (const wire of this.#wires) wire.cut()
    this.#wires = []
    this.#gate.clear()
    if (how === 'kill') return
    this.#restarts += 1
    this.#server.crash(this.#random)
  }

  async writeSnapshot(state: State, hash: string): Promise<void> {
    const Client: ClientClass = this.#wires.at(-1)!.Client
    await withConnection(
      URL,
      (connection) => writePostgresSnapshot(connection, WORLD, state, { hash, keep: 2 }),
      { withoutTimeout: true, Client },
    )
  }

  /** One letter of one line is another. */
  spoilSnapshot(): void {
    const random = this.#random
    const { tables } = this.#server
    const mine = tables.snapshots.get(WORLD) ?? new Map<number, ReadonlyMap<number, string>>()
    const [seq, lines] = random.pick([...mine]) ?? []
    if (!lines) return
    const [line, body] = random.pick([...lines])!
    const at = random.integer(0, body.length - 1)
    const spoiled = `${body.slice(0, at)}${body[at] === '1' ? '2' : '1'}${body.slice(at + 1)}`
    const rows = withRow(mine, seq!, withRow(lines, line, spoiled))
    this.#server.commit({ ...tables, snapshots: withRow(tables.snapshots, WORLD, rows) }, true)
  }

  counts(): Record<string, number> {
    return { serverRestarts: this.#restarts }
  }

  remove(): void {
    this.stop('kill')
  }

  #isSuperseded(wire: BadWire): boolean {
    const { holder } = this.#server.tables.journals.get(WORLD)!
    const holding = this.#holders.get(holder)!
    const all = [...this.#holders.values()]
    return holding !== wire && (holding.isOver || all.indexOf(holding) > all.indexOf(wire))
  }

  #newWire(): BadWire {
    const wire = new BadWire({
      server: this.#server,
      gate: this.#gate,
      random: this.#random,
      note: this.#note,
    })
    this.#wires.push(wire)
    return wire
  }
}

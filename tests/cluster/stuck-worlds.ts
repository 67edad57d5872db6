import { readFileSync } from 'node:fs'
import { type Body, call, type Started } from '../support/broker.ts'

/** A leased world answers, or its lease ends within this time. */
const STUCK_MS = 5_000
const LOOK_MS = 1_000
const RESPONSE_MS = 2_000

const selectLeases = `
  SELECT coalesce(stored.world, journal.world) AS world, fence, address
  FROM quipu_journals AS journal
  LEFT JOIN quipu_worlds AS stored ON stored.record::json ->> 'journal' = journal.world
  WHERE expires_at > clock_timestamp()`

/** A node that holds worlds. */
export type Holder = {
  readonly pid: () => number | undefined
  /** A key of a world at this node; undefined if this test has none. */
  readonly keyOf: (world: string) => Pick<Started, 'url' | 'keyId' | 'secretKey'> | undefined
  /** Whether the database answers the node at once now. */
  readonly reachesDatabase: () => Promise<boolean>
}

export type StuckWorldsParts = {
  /** Queries the database. */
  readonly query: (sql: string) => Promise<readonly Body[]>
  /** The node with this address. */
  readonly nodeAt: (address: string) => Holder | undefined
}

/** A lease, and how long its world has not answered since the first look that got no response. */
type Lease = { readonly name: string; readonly silentMs?: number }

/**
 * Looks for worlds that have a lease and do not answer at the node that holds them. Does not count the time in which
 * the node or this process waited for a CPU of the machine, nor the time in which the database did not answer the node.
 */
export class StuckWorlds {
  readonly #parts: StuckWorldsParts
  readonly #timer: NodeJS.Timeout
  readonly #waits = new Map<number, number>()
  #leases = new Map<string, Lease>()
  #looking: Promise<void> | undefined
  #lookedMs = performance.now()
  /** Why each lease violates the guarantee. */
  readonly found = new Map<string, string>()
  /** The longest time that a world with a lease did not answer. */
  longestMs = 0

  constructor(parts: StuckWorldsParts) {
    this.#parts = parts
    this.#timer = setInterval(() => {
      this.#looking ??= this.#look().finally(() => {
        this.#looking = undefined
      })
    }, LOOK_MS)
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#looking
  }

  async #look(): Promise<void> {
    const elapsedMs = performance.now() - this.#lookedMs
    this.#lookedMs += elapsedMs
    const rows = await this.#parts.query(selectLeases).catch(() => undefined)
    if (!rows) return
    const nodes = new Set(rows.map(({ address }) => this.#parts.nodeAt(address)))
    const waitedMs = this.#waitedMs(process.pid)
    const countedMs = new Map(
      [...nodes].map((node) => [node, Math.max(0, elapsedMs - waitedMs - this.#waitedMs(node?.pid()))]),
    )
    const leases = await Promise.all(
      rows.map((row) => {
        const node = this.#parts.nodeAt(row.address)
        return this.#lease(row, node, countedMs.get(node) ?? 0)
      }),
    )
    this.#leases = new Map(leases.map((lease) => [lease.name, lease]))
  }

  async #lease({ world, fence, address }: Body, node: Holder | undefined, countedMs: number): Promise<Lease> {
    const name = `${world} ${fence}`
    const key = node?.keyOf(world)
    const problem = key && (await problemOf(key))
    if (problem === undefined) return { name }
    const beforeMs = this.#leases.get(name)?.silentMs
    const isCounted = beforeMs !== undefined && (await node!.reachesDatabase())
    const silentMs = (beforeMs ?? 0) + (isCounted ? countedMs : 0)
    this.longestMs = Math.max(this.longestMs, silentMs)
    if (silentMs > STUCK_MS)
      this.found.set(name, `${address} has not answered for ${Math.round(silentMs)} ms: ${problem}`)
    return { name, silentMs }
  }

  /** How long the main thread of a process has waited for a CPU since the last look. Only Linux counts it. */
  #waitedMs(pid: number | undefined): number {
    if (pid === undefined) return 0
    const before = this.#waits.get(pid)
    const totalMs = cpuWaitMs(pid) ?? before ?? 0
    this.#waits.set(pid, totalMs)
    return totalMs - (before ?? totalMs)
  }
}

/** Undefined if the process has ended. */
function cpuWaitMs(pid: number): number | undefined {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6
  } catch {
    return undefined
  }
}

/** Why a world does not answer; undefined if it does. */
async function problemOf(key: Pick<Started, 'url' | 'keyId' | 'secretKey'>): Promise<string | undefined> {
  const response = call(key, 'GET', '/v2/account').then(({ status, body }) =>
    status === 200 ? undefined : `${status} ${JSON.stringify(body)}`,
  )
  const late = new Promise<string>((resolve) =>
    setTimeout(resolve, RESPONSE_MS, `no response in ${RESPONSE_MS} ms`),
  )
  return Promise.race([response.catch(String), late])
}

import { type Body, call, type Started } from '../broker.ts'

/** A lease ends after 3 s without renewal. The rest is for a busy machine: a stuck world stays stuck. */
const STUCK_MS = 15_000
const LOOK_MS = 1_000
const ANSWER_MS = 2_000

const selectLeases = `
  SELECT coalesce(stored.world, journal.world) AS world, fence, address, expires_at
  FROM quipu_journals AS journal
  LEFT JOIN quipu_worlds AS stored ON stored.record::json ->> 'journal' = journal.world
  WHERE expires_at IS NOT NULL`

export type StuckWorldsParts = {
  /** Queries the database. */
  readonly query: (sql: string) => Promise<readonly Body[]>
  /** A key of a world at the node with this address; undefined if this test does not know both. */
  readonly keyOf: (world: string, address: string) => Pick<Started, 'url' | 'keyId' | 'secretKey'> | undefined
}

type Lease = { readonly expiresMs: number; readonly silentSinceMs: number | undefined }

/** Looks for worlds whose lease is renewed, but which do not answer at the node that holds them. */
export class StuckWorlds {
  readonly #parts: StuckWorldsParts
  readonly #timer: NodeJS.Timeout
  #leases = new Map<string, Lease>()
  #looking: Promise<void> | undefined
  readonly found = new Set<string>()

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
    const rows = await this.#parts.query(selectLeases).catch(() => [])
    const leases = await Promise.all(
      rows.map(async (row) => [`${row.world} ${row.fence}`, await this.#lease(row)] as const),
    )
    this.#leases = new Map(leases)
  }

  async #lease({ world, fence, address, expires_at }: Body): Promise<Lease> {
    const name = `${world} ${fence}`
    const before = this.#leases.get(name)
    const expiresMs = expires_at.getTime()
    const nowMs = performance.now()
    const isRenewed = before !== undefined && before.expiresMs !== expiresMs
    if (!isRenewed || (await this.#answers(world, address))) return { expiresMs, silentSinceMs: undefined }
    const silentSinceMs = before.silentSinceMs ?? nowMs
    if (nowMs - silentSinceMs > STUCK_MS)
      this.found.add(`${name}: ${address} renews the lease and does not answer`)
    return { expiresMs, silentSinceMs }
  }

  async #answers(world: string, address: string): Promise<boolean> {
    const key = this.#parts.keyOf(world, address)
    if (!key) return true
    const answer = call(key, 'GET', '/v2/account').then(({ status }) => status === 200)
    const late = new Promise<boolean>((resolve) => setTimeout(resolve, ANSWER_MS, false))
    return Promise.race([answer.catch(() => false), late])
  }
}

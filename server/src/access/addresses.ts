import { randomBytes } from 'node:crypto'
import { type AccessStore, type AddressRow, dayOf, type Erasure, isErased } from './access-store.ts'

/** Longer ones do not come from a network; a proxy may send anything. */
const ADDRESS_MAX = 64
/** Addresses of one day that are looked up in memory. Beyond it they get a second reference, which does no harm. */
const KNOWN_MAX = 100_000
const REF_BYTES = 8
const DAY_MS = 86_400_000

/**
 * Client addresses under references. Journal records are never changed, so they hold the reference; the address itself
 * is stored here, and can be erased. An address has one reference per day.
 */
export class Addresses {
  readonly #store: AccessStore
  readonly #nowMs: () => number
  #day = ''
  #dayStartMs = Number.NaN
  /** Of the day: references by address, and addresses by reference. */
  #known = new Map<string, string>()
  #today = new Map<string, string>()
  #pending: AddressRow[] = []
  #storing: Promise<void> | undefined
  #turn: Promise<unknown> = Promise.resolve()

  constructor(store: AccessStore, nowMs: () => number = Date.now) {
    this.#store = store
    this.#nowMs = nowMs
  }

  /** The reference of an address. A new one is durable only after `stored`. */
  refOf(given: string): string {
    const address = plainAddress(given)
    const sinceMs = this.#nowMs() - this.#dayStartMs
    if (!(sinceMs >= 0 && sinceMs < DAY_MS)) this.#begin(this.#nowMs())
    const known = this.#known.get(address)
    if (known !== undefined) return known
    if (this.#known.size >= KNOWN_MAX) this.#forget()
    const ref = `${this.#day}-${randomBytes(REF_BYTES).toString('hex')}`
    this.#known.set(address, ref)
    this.#today.set(ref, address)
    this.#pending.push({ ref, address })
    return ref
  }

  /** Resolves once every reference given so far is durable; undefined where all are. */
  stored(): Promise<void> | undefined {
    if (this.#pending.length === 0) return this.#storing
    this.#storing ??= this.#inTurn(() => this.#flush()).finally(() => {
      this.#storing = undefined
    })
    return this.#storing
  }

  /** The addresses behind references. Erased ones are absent. */
  async behind(refs: Iterable<string>): Promise<ReadonlyMap<string, string>> {
    const wanted = new Set<string>()
    const found = new Map<string, string>()
    for (const ref of refs) {
      const address = this.#today.get(ref)
      if (address === undefined) wanted.add(ref)
      else found.set(ref, address)
    }
    for (const day of new Set([...wanted].map(dayOf)))
      for (const { ref, address } of await this.#store.addressesOf(day))
        if (wanted.has(ref)) found.set(ref, address)
    return found
  }

  /** Whether a reference is one of an address, for references that are stored and for those to come. */
  async refsOf(given: string): Promise<(ref: string) => boolean> {
    const address = plainAddress(given)
    const refs = new Set<string>()
    for (const day of await this.#store.days())
      for (const row of await this.#store.addressesOf(day)) if (row.address === address) refs.add(row.ref)
    return (ref) => {
      if (this.#known.get(address) === ref) refs.add(ref)
      return refs.has(ref)
    }
  }

  /** Removes addresses from the store for good and returns how many references led to them. */
  async erase({ address, before }: Erasure): Promise<number> {
    const what = { address: address === undefined ? undefined : plainAddress(address), before }
    await this.stored()
    return this.#inTurn(async () => {
      // Later requests get a new reference: the old one leads nowhere from now on.
      this.#forget()
      this.#pending = this.#pending.filter((row) => !isErased(row, what))
      return this.#store.eraseAddresses(what)
    })
  }

  async close(): Promise<void> {
    await this.stored()
  }

  /** The day is written once: that takes a hundred times as long as to look at the clock. */
  #begin(nowMs: number): void {
    this.#day = dayAt(nowMs)
    this.#dayStartMs = nowMs - (nowMs % DAY_MS)
    this.#forget()
  }

  #forget(): void {
    this.#known = new Map()
    this.#today = new Map()
  }

  async #flush(): Promise<void> {
    while (this.#pending.length > 0) {
      const rows = this.#pending
      this.#pending = []
      try {
        await this.#store.addAddresses(rows)
      } catch (error) {
        this.#pending.unshift(...rows)
        throw error
      }
    }
  }

  #inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const result = this.#turn.then(work)
    this.#turn = result.catch(() => undefined)
    return result
  }
}

/** An IPv4 address on an IPv6 socket is written as IPv4. */
const plainAddress = (given: string): string =>
  (given.startsWith('::ffff:') && given.includes('.') ? given.slice(7) : given).slice(0, ADDRESS_MAX)

/** The day in UTC, as `20260105`. */
export const dayAt = (ms: number): string => new Date(ms).toISOString().slice(0, 10).replaceAll('-', '')

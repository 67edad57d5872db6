import { randomBytes } from 'node:crypto'
import { AppendFailed } from '../journal/journal.ts'
import { type AccessStore, type AddressRow, accessDay, type Erasure, isErased } from './access-store.ts'

/** Network addresses are shorter; a proxy may send anything. */
const ADDRESS_MAX = 64
/** Maximum number of addresses per day that are cached. Beyond it an address gets a second reference, which is harmless. */
const KNOWN_MAX = 100_000
const REF_BYTES = 8
const DAY_MS = 86_400_000

/**
 * Stores client addresses under references. Journal records never change, so they hold the reference. The address is
 * stored here and can be erased. An address has one reference per day.
 */
export class Addresses {
  readonly #store: AccessStore
  readonly #nowMs: () => number
  #day = ''
  #dayStartMs = Number.NaN
  /** Of today: references by address, and addresses by reference. */
  #refByAddress = new Map<string, string>()
  #addressByRef = new Map<string, string>()
  #pending: AddressRow[] = []
  #storing: Promise<void> | undefined
  #queue: Promise<unknown> = Promise.resolve()

  constructor(store: AccessStore, nowMs: () => number = Date.now) {
    this.#store = store
    this.#nowMs = nowMs
  }

  /** Returns the reference of an address. A new reference is durable only after `stored`. */
  refOf(raw: string): string {
    const address = plainAddress(raw)
    const sinceMs = this.#nowMs() - this.#dayStartMs
    if (!(sinceMs >= 0 && sinceMs < DAY_MS)) this.#startDay(this.#nowMs())
    const known = this.#refByAddress.get(address)
    if (known !== undefined) return known
    if (this.#refByAddress.size >= KNOWN_MAX) this.#forget()
    const ref = `${this.#day}-${randomBytes(REF_BYTES).toString('hex')}`
    this.#refByAddress.set(address, ref)
    this.#addressByRef.set(ref, address)
    this.#pending.push({ ref, address })
    return ref
  }

  /** Resolves once every reference so far is durable; undefined if all are. */
  stored(): Promise<void> | undefined {
    if (this.#pending.length === 0) return this.#storing
    this.#storing ??= this.#enqueue(() => this.#flush()).finally(() => {
      this.#storing = undefined
    })
    return this.#storing
  }

  /** Looks up the addresses of references. Erased ones are absent. */
  async resolve(refs: Iterable<string>): Promise<ReadonlyMap<string, string>> {
    const wanted = new Set<string>()
    const found = new Map<string, string>()
    for (const ref of refs) {
      const address = this.#addressByRef.get(ref)
      if (address === undefined) wanted.add(ref)
      else found.set(ref, address)
    }
    for (const day of new Set([...wanted].map(accessDay)))
      for (const { ref, address } of await this.#store.addressesOf(day))
        if (wanted.has(ref)) found.set(ref, address)
    return found
  }

  /** Returns a check whether a reference belongs to an address, for stored and for future references. */
  async refsOf(raw: string): Promise<(ref: string) => boolean> {
    const address = plainAddress(raw)
    const refs = new Set<string>()
    for (const day of await this.#store.days())
      for (const row of await this.#store.addressesOf(day)) if (row.address === address) refs.add(row.ref)
    return (ref) => {
      if (this.#refByAddress.get(address) === ref) refs.add(ref)
      return refs.has(ref)
    }
  }

  /** Erases addresses from the store and returns the number of references to them. */
  async erase({ address, before }: Erasure): Promise<number> {
    const what = { address: address === undefined ? undefined : plainAddress(address), before }
    await this.stored()
    return this.#enqueue(async () => {
      // Later requests get a new reference; the old one resolves to nothing from now on.
      this.#forget()
      this.#pending = this.#pending.filter((row) => !isErased(row, what))
      return this.#store.eraseAddresses(what)
    })
  }

  async close(): Promise<void> {
    await this.stored()
  }

  /** The day is formatted once: formatting takes a hundred times as long as reading the clock. */
  #startDay(nowMs: number): void {
    this.#day = dayAt(nowMs)
    this.#dayStartMs = nowMs - (nowMs % DAY_MS)
    this.#forget()
  }

  #forget(): void {
    this.#refByAddress = new Map()
    this.#addressByRef = new Map()
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

  #enqueue<Value>(work: () => Promise<Value>): Promise<Value> {
    const result = this.#queue.then(work)
    this.#queue = result.catch(() => undefined)
    return result
  }
}

/** An IPv4 address on an IPv6 socket is written as IPv4. */
export const plainAddress = (raw: string): string =>
  (raw.startsWith('::ffff:') && raw.includes('.') ? raw.slice(7) : raw).slice(0, ADDRESS_MAX)

/** The day in UTC, as `20260105`. */
export const dayAt = (ms: number): string => new Date(ms).toISOString().slice(0, 10).replaceAll('-', '')

/** The failure of an append whose address could not be stored. */
export function addressNotStored(cause: unknown): never {
  throw new AppendFailed(true, 'the client address could not be stored', cause)
}

/** A client address, and the reference that journal records hold instead of it. */
export type AddressRow = { readonly ref: string; readonly address: string }

/** The addresses to erase: one address, all stored before a day, or one address before a day. */
export type Erasure = { readonly address?: string | undefined; readonly before?: string | undefined }

/** When each key was last used: the key id, and an instant in nanoseconds as text. */
export type Uses = ReadonlyMap<string, string>

/**
 * Data that is stored beside the journal because it must be erasable, or changes too often for events. A reference
 * starts with the day (UTC, `20260105`) on which it was created, so that rows can be found and erased by day.
 */
export interface AccessStore {
  /** Resolves once the rows would survive a power cut. */
  addAddresses(rows: readonly AddressRow[]): Promise<void>
  /** The days that have rows, in order. */
  days(): Promise<readonly string[]>
  addressesOf(day: string): Promise<readonly AddressRow[]>
  /** Removes the rows from the store and returns how many there were. */
  eraseAddresses(what: Erasure): Promise<number>
  keyUses(): Promise<Uses>
  /** Stores the uses that changed; `all` holds every known use. */
  storeKeyUses(changed: Uses, all: Uses): Promise<void>
  close(): Promise<void>
}

export const REF = /^(\d{8})-[0-9a-f]{16}$/

/** The day on which a reference was created. */
export const accessDay = (ref: string): string => ref.slice(0, 8)

export const isErased = ({ ref, address }: AddressRow, what: Erasure): boolean =>
  (what.address === undefined || address === what.address) &&
  (what.before === undefined || accessDay(ref) < what.before)

/** Copies everything from one store to another, for backups. */
export async function copyAccess(from: AccessStore, to: AccessStore): Promise<void> {
  for (const day of await from.days()) await to.addAddresses(await from.addressesOf(day))
  const uses = await from.keyUses()
  if (uses.size > 0) await to.storeKeyUses(uses, uses)
}

/** An access store in memory. */
export function openMemoryAccess(): AccessStore {
  let rows: AddressRow[] = []
  const uses = new Map<string, string>()
  return {
    async addAddresses(added) {
      rows.push(...added)
    },
    days: async () => [...new Set(rows.map(({ ref }) => accessDay(ref)))].sort(),
    addressesOf: async (day) => rows.filter(({ ref }) => accessDay(ref) === day),
    async eraseAddresses(what) {
      const before = rows.length
      rows = rows.filter((row) => !isErased(row, what))
      return before - rows.length
    },
    keyUses: async () => new Map(uses),
    async storeKeyUses(changed) {
      for (const [key, used] of changed) uses.set(key, used)
    },
    close: async () => undefined,
  }
}

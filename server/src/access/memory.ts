import { type AccessStore, type AddressRow, dayOf, isErased } from './access-store.ts'

/** An access store in memory. */
export function openMemoryAccess(): AccessStore {
  let rows: AddressRow[] = []
  const uses = new Map<string, string>()
  return {
    async addAddresses(added) {
      rows.push(...added)
    },
    days: async () => [...new Set(rows.map(({ ref }) => dayOf(ref)))].sort(),
    addressesOf: async (day) => rows.filter(({ ref }) => dayOf(ref) === day),
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

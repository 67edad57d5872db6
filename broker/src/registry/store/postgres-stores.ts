import type { DurableStorage } from '../durable-storage.ts'
import type { MainStore } from '../worlds.ts'
import { durablePostgres } from './durable-postgres.ts'
import type { MainStoreReport } from './main-store.ts'
import { PostgresServer } from './postgres-server.ts'
import { postgresStore } from './postgres-store.ts'

/** Where a process stores its worlds in PostgreSQL. */
export function postgresStores(
  url: string,
  report: MainStoreReport,
): { readonly store: MainStore; readonly durable: DurableStorage } {
  const server = new PostgresServer(url)
  return { store: postgresStore(server, report), durable: durablePostgres(server, report) }
}

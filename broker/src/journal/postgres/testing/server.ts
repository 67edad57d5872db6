import { after } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from '../../../postgres/connection.ts'
import { Cluster } from '../../../postgres/testing/server.ts'
import { openPostgresJournal } from '../journal.ts'
import type { PostgresOptions } from '../leased-journal.ts'

/** One server for the specs of this folder. */
export const cluster = await Cluster.start()
after(() => cluster.stop())

let worlds = 0
export const newWorld = () => `world ${++worlds}`

/** Opens the journal of a world; takes it over from an earlier holder. */
export const openWorld = (world: string, options: Partial<PostgresOptions> = {}) =>
  openPostgresJournal({ url: cluster.url(), world, marketModel: 1, waits: false, ...options })

/** Locks the head row of a world, so that appends and takeovers wait. */
export async function lockRow(world: string) {
  const connection = await connect(cluster.url())
  await connection.query('BEGIN')
  await connection.query('SELECT 1 FROM quipu_journals WHERE world = $1 FOR UPDATE', [world])
  const waiting = "FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%quipu_journals%'"
  return {
    async waiters(count: number): Promise<void> {
      while (Number((await cluster.run(`SELECT count(*) ${waiting}`))[0]!.count) < count) await sleep(20)
    },
    terminateWaiters: () => cluster.run(`SELECT pg_terminate_backend(pid) ${waiting}`),
    async release(): Promise<void> {
      await connection.query('COMMIT')
      await connection.end()
    },
  }
}

import { isHeld } from '../../journal/postgres/lease.ts'
import { type PostgresConnection, withConnection } from '../../postgres/connection.ts'
import { transaction, write } from '../../postgres/statements.ts'
import { MAIN } from '../world-entry.ts'
import type { RunFiles } from './run-files.ts'

const PART_BYTES = 1024 * 1024
const TIMEOUT_MS = 30_000

/** Files in the database, so that every node of a cluster can read them. */
export function postgresRunFiles(url: string): RunFiles {
  const on = <Value>(use: (connection: PostgresConnection) => Promise<Value>): Promise<Value> =>
    withConnection(url, use, { timeoutMs: TIMEOUT_MS })
  return {
    write: (file, bytes) =>
      on((connection) => transaction(connection, () => insertRunFile(connection, file, bytes))),
    async read(file) {
      const text = 'SELECT count(*) AS parts FROM quipu_run_files WHERE file = $1'
      const { rows } = await on((connection) => connection.query({ text, values: [file] }))
      const parts = Number(rows[0].parts)
      return parts === 0 ? undefined : partsOf(on, file, parts)
    },
    // The record that named the file was deleted, and no other record ever names it.
    delete: async (file) => {
      const query = { text: 'DELETE FROM quipu_run_files WHERE file = $1', values: [file] }
      await on((connection) => write(connection, query))
    },
    sweep: ({ isKept, olderThanMs, journal }) =>
      on(async (connection) => {
        const { rows } = await connection.query({
          text: `SELECT DISTINCT file FROM quipu_run_files WHERE stored_at <= now() - $1 * interval '1 millisecond'`,
          values: [olderThanMs],
        })
        const orphans = rows.map(({ file }) => String(file)).filter((file) => !isKept(file))
        if (orphans.length === 0) return
        // Records of another holder of main are unknown here.
        const text = `DELETE FROM quipu_run_files WHERE file = ANY($1) AND ${isHeld('$2', '$3')}`
        await write(connection, { text, values: [orphans, MAIN, journal.fence ?? 0] })
      }),
  }
}

/** Stores a file in the transaction of the connection. */
export async function insertRunFile(
  connection: PostgresConnection,
  file: string,
  bytes: Uint8Array,
): Promise<void> {
  for (let part = 0; part * PART_BYTES < bytes.length; part++) {
    const body = Buffer.from(bytes.subarray(part * PART_BYTES, (part + 1) * PART_BYTES))
    const text = 'INSERT INTO quipu_run_files (file, part, body) VALUES ($1, $2, $3)'
    await write(connection, { text, values: [file, part, body] })
  }
}

type On = <Value>(use: (connection: PostgresConnection) => Promise<Value>) => Promise<Value>

async function* partsOf(on: On, file: string, parts: number): AsyncGenerator<Uint8Array> {
  for (let part = 0; part < parts; part++) {
    const { rows } = await on((connection) => runFilePart(connection, file, part))
    if (!rows[0]) throw new Error(`run file ${file} was deleted while it was read`)
    yield rows[0].body as Buffer
  }
}

/** One part of a file; no row after its last one. */
export const runFilePart = (connection: PostgresConnection, file: string, part: number) =>
  connection.query({
    text: 'SELECT body FROM quipu_run_files WHERE file = $1 AND part = $2',
    values: [file, part],
  })

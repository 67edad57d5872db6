import { type PostgresConnection, withConnection } from '../../postgres/connection.ts'
import { transaction, write } from '../../postgres/statements.ts'
import type { RunFiles } from './run-files.ts'

const PART_BYTES = 1024 * 1024
const TIMEOUT_MS = 30_000

/** Files in the database, so that every node of a cluster can read them. */
export function postgresRunFiles(url: string): RunFiles {
  const on = <Value>(use: (connection: PostgresConnection) => Promise<Value>): Promise<Value> =>
    withConnection(url, use, { timeoutMs: TIMEOUT_MS })
  return {
    write: (run, bytes) =>
      on((connection) =>
        transaction(connection, async () => {
          await write(connection, { text: 'DELETE FROM quipu_run_files WHERE run = $1', values: [run] })
          for (let part = 0; part * PART_BYTES < bytes.length; part++) {
            const body = Buffer.from(bytes.subarray(part * PART_BYTES, (part + 1) * PART_BYTES))
            const text = 'INSERT INTO quipu_run_files (run, part, body) VALUES ($1, $2, $3)'
            await write(connection, { text, values: [run, part, body] })
          }
        }),
      ),
    async read(run) {
      const { rows } = await on((connection) =>
        connection.query({
          text: 'SELECT count(*) AS parts FROM quipu_run_files WHERE run = $1',
          values: [run],
        }),
      )
      const parts = Number(rows[0].parts)
      return parts === 0 ? undefined : partsOf(on, run, parts)
    },
    delete: async (run) => {
      const query = { text: 'DELETE FROM quipu_run_files WHERE run = $1', values: [run] }
      await on((connection) => write(connection, query))
    },
    sweep: (isKept, olderThanMs) =>
      on(async (connection) => {
        const { rows } = await connection.query({
          text: `SELECT DISTINCT run FROM quipu_run_files WHERE stored_at <= now() - $1 * interval '1 millisecond'`,
          values: [olderThanMs],
        })
        const unkept = rows.map(({ run }) => String(run)).filter((run) => !isKept(run))
        if (unkept.length === 0) return
        const text = 'DELETE FROM quipu_run_files WHERE run = ANY($1)'
        await write(connection, { text, values: [unkept] })
      }),
  }
}

type On = <Value>(use: (connection: PostgresConnection) => Promise<Value>) => Promise<Value>

async function* partsOf(on: On, run: string, parts: number): AsyncGenerator<Uint8Array> {
  for (let part = 0; part < parts; part++) {
    const { rows } = await on((connection) =>
      connection.query({
        text: 'SELECT body FROM quipu_run_files WHERE run = $1 AND part = $2',
        values: [run, part],
      }),
    )
    if (!rows[0]) throw new Error(`run ${run}: its file was deleted while it was read`)
    yield rows[0].body as Buffer
  }
}

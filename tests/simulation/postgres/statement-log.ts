import type { QueryConfig, QueryResult } from 'pg'
import type { ClientClass } from '../../../server/src/postgres/connection.ts'
import type { Done } from './client.ts'
import { squashed } from './statements.ts'

/** A statement, what was bound to it, and what came of it. */
export type Exchange = {
  readonly text: string
  readonly values: readonly unknown[]
  readonly rows?: readonly unknown[]
  readonly rowCount?: number | null
  readonly code?: string
}

/** Clients of this class tell what they ask and what they are told. */
export function tapped(Client: ClientClass, told: (exchange: Exchange) => void): ClientClass {
  return class extends (Client as unknown as typeof Asking) {
    override query(asked: string | QueryConfig, given?: unknown, done?: Done<QueryResult>): unknown {
      const { text, values = [] } = typeof asked === 'string' ? { text: asked } : asked
      const bound = Array.isArray(given) ? given : values
      const of: Exchange = { text: squashed(text), values: bound.map(readable) }
      // In the order of asking: answers on two connections may pass each other.
      told(of)
      const tell = (error: unknown, result?: QueryResult) =>
        Object.assign(of, of.text.includes(';') ? {} : outcomeOf(error, result))
      const answer = (typeof given === 'function' ? given : done) as Done<QueryResult> | undefined
      if (answer)
        return super.query(asked, bound, (error, result) => {
          tell(error, result)
          answer(error, result)
        })
      return (super.query(asked, bound) as Promise<QueryResult>).then(
        (result) => {
          tell(undefined, result)
          return result
        },
        (error: unknown) => {
          tell(error)
          throw error
        },
      )
    }
  } as unknown as ClientClass
}

/** What both kinds of client have in common. */
declare class Asking {
  query(asked: string | QueryConfig, values?: unknown, done?: Done<QueryResult>): unknown
}

// Several statements in one text are told as asked, no more.
function outcomeOf(error: unknown, result?: QueryResult): Partial<Exchange> {
  if (error) return { code: (error as { code?: string }).code ?? 'none' }
  return { rows: result!.rows.map((row) => ({ ...row })), rowCount: result!.rowCount }
}

const readable = (value: unknown): unknown => (Buffer.isBuffer(value) ? value.toString() : value)

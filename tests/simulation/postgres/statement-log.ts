import type { QueryConfig, QueryResult } from 'pg'
import type { ClientClass } from '../../../broker/src/postgres/connection.ts'
import type { Done } from './client.ts'
import { singleLine } from './statement.ts'

/** A statement with its values and its result. */
export type Exchange = {
  readonly text: string
  readonly values: readonly unknown[]
  readonly rows?: readonly unknown[]
  readonly rowCount?: number | null
  readonly code?: string
}

/** A client class that reports its statements and their results. */
export function withStatementLog(Client: ClientClass, onExchange: (exchange: Exchange) => void): ClientClass {
  return class extends (Client as unknown as typeof QueryClient) {
    override query(
      statement: string | QueryConfig,
      valuesOrDone?: unknown,
      done?: Done<QueryResult>,
    ): unknown {
      const { text, values = [] } = typeof statement === 'string' ? { text: statement } : statement
      const bound = Array.isArray(valuesOrDone) ? valuesOrDone : values
      const exchange: Exchange = { text: singleLine(text), values: bound.map(readable) }
      // Reported in the order of the statements, because answers on two connections may overtake each other.
      onExchange(exchange)
      const addResult = (error: unknown, result?: QueryResult) =>
        Object.assign(exchange, exchange.text.includes(';') ? {} : outcomeOf(error, result))
      const answer = (typeof valuesOrDone === 'function' ? valuesOrDone : done) as
        | Done<QueryResult>
        | undefined
      if (answer)
        return super.query(statement, bound, (error, result) => {
          addResult(error, result)
          answer(error, result)
        })
      return (super.query(statement, bound) as Promise<QueryResult>).then(
        (result) => {
          addResult(undefined, result)
          return result
        },
        (error: unknown) => {
          addResult(error)
          throw error
        },
      )
    }
  } as unknown as ClientClass
}

/** The method that both client classes have. */
declare class QueryClient {
  query(statement: string | QueryConfig, values?: unknown, done?: Done<QueryResult>): unknown
}

// A text with several statements is reported without a result.
function outcomeOf(error: unknown, result?: QueryResult): Partial<Exchange> {
  if (error) return { code: (error as { code?: string }).code ?? 'none' }
  return { rows: result!.rows.map(withoutTimes), rowCount: result!.rowCount }
}

/** The clocks of two servers differ. */
const withoutTimes = (row: object) =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, value instanceof Date ? 'a time' : value]),
  )

const readable = (value: unknown): unknown => (Buffer.isBuffer(value) ? value.toString() : value)

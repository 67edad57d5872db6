import { examples } from './examples/examples.table.ts'
import type { Operation } from './operation.ts'
import { type OperationName, operations } from './operations.ts'

type Given = {
  readonly params?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, unknown>>
  readonly body?: Readonly<Record<string, unknown>>
}

/** The example of an operation as a line for a shell, with credentials from the usual variables. */
export function curlOf(name: OperationName, url: string): string {
  const declared: Operation = operations[name]
  const given = examples[name].input as Given
  const parts = [
    ...(declared.method === 'GET' ? [] : [`-X ${declared.method}`]),
    ...credentials(declared),
    ...Object.entries(given.headers ?? {}).map(([key, value]) => `-H ${quoted(`${key}: ${value}`)}`),
    ...bodyParts(declared, given),
    quoted(url + pathOf(declared.path, given.params) + queryOf(given.query)),
  ]
  return `curl ${parts.join(' \\\n  ')}`
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

function credentials({ who }: Operation): readonly string[] {
  if (who.includes('anyone')) return []
  if (who.includes('account')) {
    return ['-H "APCA-API-KEY-ID: $APCA_API_KEY_ID"', '-H "APCA-API-SECRET-KEY: $APCA_API_SECRET_KEY"']
  }
  return ['-u "$QUIPU_BROKER_KEY:$QUIPU_BROKER_SECRET"']
}

function bodyParts({ bodyKind }: Operation, { body }: Given): readonly string[] {
  if (body === undefined) return []
  if (bodyKind === 'form') {
    return Object.entries(body).map(([key, value]) => `--data-urlencode ${quoted(`${key}=${value}`)}`)
  }
  return [`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(body))}`]
}

const pathOf = (path: string, params: Given['params'] = {}): string =>
  path.replace(/\{(\w+)(?:\.\.\.)?\}/g, (_, name: string) => encodeURIComponent(String(params[name])))

function queryOf(query: Given['query'] = {}): string {
  const pairs = Object.entries(query).map(([key, value]) => `${key}=${encodeURIComponent(String(value))}`)
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

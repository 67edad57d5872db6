import { examples, type Operation, type OperationName, operations } from '@quipu/contract'
import type { Random } from '../support/random.ts'
import { hostileBody, hostileName, hostileValue, randomText } from './hostile-values.ts'

/** A request as bytes and headers for the wire. */
export type HostileRequest = {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | undefined
}

type Fields = Record<string, unknown>
type Parts = { params: Fields; query: Fields; headers: Fields; body: unknown }

/** These end, reset or disturb a world on purpose, so the operator calls them with unknown worlds only. */
export const disturbing: ReadonlySet<OperationName> = new Set(['deleteWorld', 'resetWorld', 'createFault'])

export const names = Object.keys(operations) as OperationName[]

/**
 * A request for this operation: the example of the contract with some fields made wrong. `known` has real values of
 * fields, so that many requests reach a handler.
 */
export function hostileRequest(name: OperationName, random: Random, known: Readonly<Fields>): HostileRequest {
  const operation: Operation = operations[name]
  const parts = exampleOf(name, known)
  const count = random.pick([0, 1, 1, 1, 2, 3, 6])
  for (let change = 0; change < count; change++) makeWrong(operation, parts, random)
  const path = operation.path.replaceAll(/\{(\w+)(?:\.\.\.)?\}/g, (_, field) =>
    inPath(parts.params[field], random),
  )
  const query = queryOf(parts.query, random)
  return {
    method: random.chance(0.03)
      ? random.pick(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'PURGE'])
      : operation.method,
    path: `${path}${query === '' ? '' : `?${query}`}`,
    headers: headersOf(parts.headers, random),
    body: bodyOf(operation, parts.body, random),
  }
}

function exampleOf(name: OperationName, known: Readonly<Fields>): Parts {
  const { params = {}, query = {}, headers = {}, body } = examples[name].input as Partial<Parts>
  const real = (fields: Fields): Fields =>
    Object.fromEntries(Object.entries(fields).map(([field, value]) => [field, known[field] ?? value]))
  return {
    params: real(params),
    query: real(query),
    headers: { ...headers },
    body: typeof body === 'object' && body !== null ? real(body as Fields) : body,
  }
}

function makeWrong(operation: Operation, parts: Parts, random: Random): void {
  const parameters = (['params', 'query', 'headers', 'body'] as const).filter(
    (part) => operation[part] !== undefined,
  )
  const part = parameters.length === 0 ? 'query' : random.pick(parameters)
  if (typeof parts[part] !== 'object' || parts[part] === null) parts[part] = {}
  const shape = operation[part] as { readonly fields?: Fields } | undefined
  const declared = Object.keys(shape?.fields ?? {})
  const fields = parts[part] as Fields
  const field = declared.length === 0 || random.chance(0.1) ? hostileName(random) : random.pick(declared)
  if (random.chance(0.1)) delete fields[field]
  else
    Object.defineProperty(fields, field, {
      value: hostileValue(random),
      enumerable: true,
      configurable: true,
      writable: true,
    })
}

const asText = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined')

function inPath(value: unknown, random: Random): string {
  const text = asText(value).slice(0, 2_000)
  return random.chance(0.9) ? encodeURIComponent(text.toWellFormed()) : printable(text)
}

/** Keeps only bytes that a request line may have. */
const printable = (text: string): string => text.replaceAll(/[^!-~]/g, '%') || '%'

function queryOf(fields: Fields, random: Random): string {
  const pairs = Object.entries(fields).flatMap(([field, value]) => {
    const texts =
      Array.isArray(value) && random.chance(0.5) ? value.slice(0, 200).map(asText) : [asText(value)]
    return texts.map((text) => [field, text.slice(0, 3_000).toWellFormed()] as [string, string])
  })
  if (random.chance(0.05)) return printable(randomText(random))
  const encoded = new URLSearchParams(pairs).toString()
  return encoded.slice(0, 8_000)
}

function headersOf(fields: Fields, random: Random): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [field, value] of Object.entries(fields))
    if (/^[\w-]{1,60}$/.test(field))
      headers[field] = asText(value)
        .slice(0, 1_000)
        .replaceAll(/[^ -~]/g, '?')
  if (random.chance(0.1))
    headers['content-type'] = random.pick([
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      '☃'.replace(/./g, 'x'),
    ])
  if (random.chance(0.03)) headers['content-encoding'] = random.pick(['gzip', 'br', 'identity', 'x'])
  if (random.chance(0.03)) headers['accept'] = random.pick(['text/event-stream', '*/*;q=9', 'image/png'])
  if (random.chance(0.03)) headers['origin'] = random.pick(['null', 'http://evil.example', 'x'])
  return headers
}

function bodyOf(operation: Operation, body: unknown, random: Random): Buffer | undefined {
  if (operation.body === undefined) return random.chance(0.05) ? hostileBody(random) : undefined
  if (random.chance(0.2)) return hostileBody(random)
  if (operation.bodyKind === 'form' && random.chance(0.5))
    return Buffer.from(queryOf((body ?? {}) as Fields, random))
  const bytes = Buffer.from(JSON.stringify(body) ?? '')
  if (random.chance(0.05)) return bytes.subarray(0, random.integer(0, bytes.length))
  if (random.chance(0.05) && bytes.length > 0)
    bytes[random.integer(0, bytes.length - 1)] = random.integer(0, 255)
  return bytes
}

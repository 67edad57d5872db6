import { examples, type Operation, type OperationName, operations } from '@quipu/contract'
import type { Dice } from '../random.ts'
import { nastyBody, nastyName, nastyValue, randomText } from './nasty.ts'

/** A request as it goes over the wire. */
export type Hostile = {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | undefined
}

type Fields = Record<string, unknown>
type Parts = { params: Fields; query: Fields; headers: Fields; body: unknown }

export const names = Object.keys(operations) as OperationName[]

/**
 * A request for this operation: what the contract shows as an example, with some of it put wrong. `known` are real
 * values of fields, so that much of what is sent gets as far as a handler.
 */
export function hostileRequest(name: OperationName, dice: Dice, known: Readonly<Fields>): Hostile {
  const operation: Operation = operations[name]
  const parts = exampleOf(name, known)
  const count = dice.pick([0, 1, 1, 1, 2, 3, 6])
  for (let change = 0; change < count; change++) spoil(operation, parts, dice)
  const path = operation.path.replaceAll(/\{(\w+)(?:\.\.\.)?\}/g, (_, field) =>
    inPath(parts.params[field], dice),
  )
  const query = queryOf(parts.query, dice)
  return {
    method: dice.isLucky(0.03)
      ? dice.pick(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'PURGE'])
      : operation.method,
    path: `${path}${query === '' ? '' : `?${query}`}`,
    headers: headersOf(parts.headers, dice),
    body: bodyOf(operation, parts.body, dice),
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

function spoil(operation: Operation, parts: Parts, dice: Dice): void {
  const places = (['params', 'query', 'headers', 'body'] as const).filter(
    (place) => operation[place] !== undefined,
  )
  const place = places.length === 0 ? 'query' : dice.pick(places)
  if (typeof parts[place] !== 'object' || parts[place] === null) parts[place] = {}
  const shape = operation[place] as { readonly fields?: Fields } | undefined
  const declared = Object.keys(shape?.fields ?? {})
  const fields = parts[place] as Fields
  const field = declared.length === 0 || dice.isLucky(0.1) ? nastyName(dice) : dice.pick(declared)
  if (dice.isLucky(0.1)) delete fields[field]
  else
    Object.defineProperty(fields, field, {
      value: nastyValue(dice),
      enumerable: true,
      configurable: true,
      writable: true,
    })
}

const asText = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined')

function inPath(value: unknown, dice: Dice): string {
  const text = asText(value).slice(0, 2_000)
  return dice.isLucky(0.9) ? encodeURIComponent(text.toWellFormed()) : printable(text)
}

/** As raw as a request line may be. */
const printable = (text: string): string => text.replaceAll(/[^!-~]/g, '%') || '%'

function queryOf(fields: Fields, dice: Dice): string {
  const pairs = Object.entries(fields).flatMap(([field, value]) => {
    const texts =
      Array.isArray(value) && dice.isLucky(0.5) ? value.slice(0, 200).map(asText) : [asText(value)]
    return texts.map((text) => [field, text.slice(0, 3_000).toWellFormed()] as [string, string])
  })
  if (dice.isLucky(0.05)) return printable(randomText(dice))
  const written = new URLSearchParams(pairs).toString()
  return written.slice(0, 8_000)
}

function headersOf(fields: Fields, dice: Dice): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [field, value] of Object.entries(fields))
    if (/^[\w-]{1,60}$/.test(field))
      headers[field] = asText(value)
        .slice(0, 1_000)
        .replaceAll(/[^ -~]/g, '?')
  if (dice.isLucky(0.1))
    headers['content-type'] = dice.pick([
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      '☃'.replace(/./g, 'x'),
    ])
  if (dice.isLucky(0.03)) headers['content-encoding'] = dice.pick(['gzip', 'br', 'identity', 'x'])
  if (dice.isLucky(0.03)) headers['accept'] = dice.pick(['text/event-stream', '*/*;q=9', 'image/png'])
  if (dice.isLucky(0.03)) headers['origin'] = dice.pick(['null', 'http://evil.example', 'x'])
  return headers
}

function bodyOf(operation: Operation, body: unknown, dice: Dice): Buffer | undefined {
  if (operation.body === undefined) return dice.isLucky(0.05) ? nastyBody(dice) : undefined
  if (dice.isLucky(0.2)) return nastyBody(dice)
  if (operation.bodyKind === 'form' && dice.isLucky(0.5))
    return Buffer.from(queryOf((body ?? {}) as Fields, dice))
  const bytes = Buffer.from(JSON.stringify(body) ?? '')
  if (dice.isLucky(0.05)) return bytes.subarray(0, dice.whole(0, bytes.length))
  if (dice.isLucky(0.05) && bytes.length > 0) bytes[dice.whole(0, bytes.length - 1)] = dice.whole(0, 255)
  return bytes
}

import type { Operation } from './operation.ts'
import type { Problem } from './shape/index.ts'

/** The parts of a request before parsing. */
export type RawRequest = {
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string | readonly string[]>>
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: unknown
}

export type Input = {
  readonly params: unknown
  readonly query: unknown
  readonly headers: unknown
  readonly body: unknown
}

const nothing = Object.freeze({})
const emptyInput: Input = { params: nothing, query: nothing, headers: nothing, body: undefined }

/** Parses the declared parts of an operation: path, query, headers, body. */
export function parseInput(
  { params, query, headers, body }: Operation,
  request: RawRequest,
): { readonly input: Input; readonly problems: readonly Problem[] } {
  const problems: Problem[] = []
  const broken = body === undefined ? undefined : brokenText(request.body)
  if (broken !== undefined) return { input: emptyInput, problems: [broken] }
  const input = {
    params: params === undefined ? nothing : params.parse(request.params, '', problems),
    query: query === undefined ? nothing : query.parse(request.query, '', problems),
    headers: headers === undefined ? nothing : headers.parse(request.headers, '', problems),
    // A missing body is an empty one, so that the error names the missing field.
    body: body === undefined ? undefined : body.parse(request.body ?? nothing, '', problems),
  }
  return { input, problems }
}

/**
 * Finds text with half a surrogate pair, such as "\\ud83d", anywhere in a body. JSON can express it, UTF-8 cannot: the
 * journal would store another text. Queries and headers cannot contain it.
 */
function brokenText(body: unknown): Problem | undefined {
  const open = mayBeBroken(body) ? [{ value: body, path: '' }] : []
  // No recursion, because a body may be nested very deeply.
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, path } = next
    if (typeof value === 'string') return halfPair(path, value)
    if (Array.isArray(value)) {
      for (const [at, item] of value.entries())
        if (mayBeBroken(item)) open.push({ value: item, path: `${path}[${at}]` })
    } else if (isRecord(value))
      for (const key of Object.keys(value)) {
        if (!key.isWellFormed()) return halfPair(path, key)
        const inner = value[key]
        if (mayBeBroken(inner)) open.push({ value: inner, path: path === '' ? key : `${path}.${key}` })
      }
  }
  return undefined
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/** Half a pair, or a value that may contain one. */
const mayBeBroken = (value: unknown): boolean =>
  typeof value === 'string' ? !value.isWellFormed() : isRecord(value)

const halfPair = (field: string, received: string): Problem => ({
  field,
  message: `${field || 'body'}: expected text without half a surrogate pair, received ${JSON.stringify(received.slice(0, SHOWN_MAX))}`,
})

const SHOWN_MAX = 60

/** A query or a form: `+` is a space, an empty value counts as absent, a repeated key becomes a list. */
export function readQuery(text: string): Record<string, string | string[]> {
  const read: Record<string, string | string[]> = {}
  if (text === '') return read
  for (const pair of text.split('&')) {
    const equals = pair.indexOf('=')
    if (equals < 0) continue
    const key = unescaped(pair.slice(0, equals))
    const value = unescaped(pair.slice(equals + 1))
    if (value === '' || key === '__proto__') continue
    const earlier = Object.hasOwn(read, key) ? read[key] : undefined
    if (earlier === undefined) read[key] = value
    else if (typeof earlier === 'string') read[key] = [earlier, value]
    else earlier.push(value)
  }
  return read
}

function unescaped(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
  if (!spaced.includes('%')) return spaced
  try {
    return decodeURIComponent(spaced)
  } catch {
    // An invalid sequence stays unchanged, so that the shape of the field reports it.
    return spaced
  }
}

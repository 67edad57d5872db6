import type { Operation } from './operation.ts'
import type { Problem } from './shape/index.ts'

/** What a request brought, before anything was looked at. */
export type Arrived = {
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
const unread: Input = { params: nothing, query: nothing, headers: nothing, body: undefined }

/** Reads the parts an operation declares, in the order path, query, headers, body. */
export function parseInput(
  { params, query, headers, body }: Operation,
  arrived: Arrived,
): { readonly input: Input; readonly problems: readonly Problem[] } {
  const problems: Problem[] = []
  const broken = body === undefined ? undefined : brokenText(arrived.body)
  if (broken !== undefined) return { input: unread, problems: [broken] }
  const input = {
    params: params === undefined ? nothing : params.parse(arrived.params, '', problems),
    query: query === undefined ? nothing : query.parse(arrived.query, '', problems),
    headers: headers === undefined ? nothing : headers.parse(arrived.headers, '', problems),
    // A request without a body is one with nothing in it: each missing field is then told by its name.
    body: body === undefined ? undefined : body.parse(arrived.body ?? nothing, '', problems),
  }
  return { input, problems }
}

/**
 * Text with half a surrogate pair, such as "\\ud83d", wherever it is in a body. JSON can write it, but UTF-8 cannot: a
 * journal would hold another text than the caller sent. Queries and headers cannot have it.
 */
function brokenText(body: unknown): Problem | undefined {
  const open: { readonly value: object; readonly path: string }[] = []
  const look = (value: unknown, path: () => string): Problem | undefined => {
    if (typeof value === 'string' && !value.isWellFormed()) return halfPair(path(), value)
    if (typeof value === 'object' && value !== null) open.push({ value, path: path() })
    return undefined
  }
  let found = look(body, () => '')
  // No recursion: a body may be nested as deep as it is long.
  for (let next = open.pop(); next !== undefined && found === undefined; next = open.pop()) {
    const { value, path } = next
    if (Array.isArray(value))
      for (const [at, item] of value.entries()) found ??= look(item, () => `${path}[${at}]`)
    else
      for (const [key, inner] of Object.entries(value))
        found ??= key.isWellFormed()
          ? look(inner, () => (path === '' ? key : `${path}.${key}`))
          : halfPair(path, key)
  }
  return found
}

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
    const before = Object.hasOwn(read, key) ? read[key] : undefined
    if (before === undefined) read[key] = value
    else if (typeof before === 'string') read[key] = [before, value]
    else before.push(value)
  }
  return read
}

function unescaped(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
  if (!spaced.includes('%')) return spaced
  try {
    return decodeURIComponent(spaced)
  } catch {
    // A broken sequence stays as it came: the field's own shape then says what is wrong with it.
    return spaced
  }
}

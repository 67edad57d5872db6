import type { IncomingHttpHeaders } from 'node:http'
import { type Operation, operations } from '@quipu/contract'
import { fieldsIn } from '@quipu/core/values'

const PATH_MAX = 200

/** Path prefixes after which the path may contain a secret. */
const secretPaths: readonly string[] = Object.values<Operation>(operations)
  .filter(({ secretPath }) => secretPath)
  .map(({ path }) => path.slice(0, path.indexOf('{')))

/** The path for the log: shortened, and without a secret. */
export function loggedPathOf(path: string): string {
  for (const start of secretPaths) if (path.startsWith(start)) return `${start}…`
  return path.slice(0, PATH_MAX)
}

/** The path of a URL: proxies and some tools send the full URL. */
export function originForm(url: string): string {
  if (url.startsWith('/')) return url
  const scheme = url.indexOf('://')
  if (scheme < 0) return url
  const path = url.indexOf('/', scheme + 3)
  return path < 0 ? '/' : url.slice(path)
}

/** W3C Trace Context: version, trace id, parent id, flags. Later versions may append fields. */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/

/** The ids of a `traceparent` header for the log. An invalid header is ignored, as the recommendation asks. */
export function traceOf(headers: IncomingHttpHeaders): { readonly trace?: string; readonly span?: string } {
  const [, version, trace, span, more] = TRACEPARENT.exec(String(headers['traceparent'] ?? '')) ?? []
  const isInvalid = version === 'ff' || (version === '00' && more !== undefined)
  if (trace === undefined || span === undefined || isInvalid || /^0+$/.test(trace) || /^0+$/.test(span))
    return {}
  return { trace, span }
}

/** In place of a value that may be a secret, or that describes a person. */
const REMOVED = '(removed)'

/** Names of secrets and of personal details. A value under such a name is removed, whatever it is. */
const PRIVATE_NAME =
  /secret|passw|token|code|csrf|assertion|verifier|challenge|signature|credential|authorization|private|api_?key|^key$|^once$|^state$|nonce|contact|identity|disclosure|document|tax|birth|email|phone|address|given_name|family_name/i
const PUBLIC_NAMES: ReadonlySet<string> = new Set(['page_token', 'wallet_address'])

/** The sign-in pages and the OAuth endpoints have more secrets than other fields, so only these are kept. */
const OAUTH_NAMES: ReadonlySet<string> = new Set([
  'account_id',
  'client_id',
  'grant_type',
  'read_only',
  'redirect_uri',
  'response_type',
  'scope',
  'world',
])

/** Deeper values of a body are left out, so that no body can be too deep for the stack. */
const DEPTH_MAX = 6

/** A larger body is logged as its size: no reader needs it, and copying it costs more than the request. */
const BODY_BYTES_MAX = 65_536

/** The query for the request log: without secrets, and with at most `max` characters. */
export function loggedQuery(operation: Operation, query: string, max: number): string | undefined {
  if (query === '' || max === 0 || operation.secretPath) return undefined
  const isKept = keptNames(operation, operation.query)
  const pairs = query.split('&').map((pair) => {
    const equals = pair.indexOf('=')
    if (equals < 0) return REMOVED
    const name = pair.slice(0, equals)
    // An escaped name is none of the declared ones.
    return isKept(name) ? pair : `${name}=${REMOVED}`
  })
  return cut(pairs.join('&'), max)
}

/** The body for the request log, as JSON. A request that cannot change anything has none. */
export function loggedBody(
  operation: Operation,
  body: unknown,
  bytes: number,
  max: number,
): string | undefined {
  if (body === undefined || max === 0 || operation.method === 'GET') return undefined
  if (bytes > BODY_BYTES_MAX || body instanceof Uint8Array) return `(${bytes} bytes)`
  return cut(JSON.stringify(redacted(body, keptNames(operation, operation.body), DEPTH_MAX)), max)
}

const cut = (text: string, max: number): string => (text.length > max ? `${text.slice(0, max)}…` : text)

type NameCheck = (name: string) => boolean

/** The declared fields of each shape whose values are kept. */
const keptFields = new WeakMap<object, ReadonlySet<string>>()

/** Whether the value of a field is kept: a declared field whose name is not private. */
function keptNames({ family }: Operation, shape: object | undefined): NameCheck {
  if (family === 'oauth') return (name) => OAUTH_NAMES.has(name)
  if (shape === undefined) return () => false
  const { fields } = shape as { readonly fields?: object }
  if (fields === undefined) return isPublic
  let kept = keptFields.get(shape)
  if (!kept) keptFields.set(shape, (kept = new Set(Object.keys(fields).filter(isPublic))))
  return (name) => kept.has(name)
}

const isPublic: NameCheck = (name) => PUBLIC_NAMES.has(name) || !PRIVATE_NAME.test(name)

/** The value without private fields: a copy only if there are some. */
function redacted(value: unknown, isKept: NameCheck, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (depth === 0) return '…'
  if (Array.isArray(value)) return value.map((one) => redacted(one, isKept, depth - 1))
  const all = fieldsIn(value)
  let kept: Record<string, unknown> = all
  for (const name in all) {
    const one = isKept(name) ? redacted(all[name], isPublic, depth - 1) : REMOVED
    if (one === all[name]) continue
    if (kept === all) kept = { ...all }
    kept[name] = one
  }
  return kept
}

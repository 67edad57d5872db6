import type { ClientRoute } from './contract.ts'

/** The inputs of a call by part of the request, as in the route table. */
export type RequestParts = {
  readonly params?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, unknown>>
  readonly body?: unknown
}

export type Prepared = {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | undefined
}

/** Builds the HTTP request of a call. */
export function prepare(
  route: ClientRoute,
  { params = {}, query = {}, headers = {}, body }: RequestParts,
): Prepared {
  const sentBody = route.body === undefined ? undefined : bodyOf(route.body, withDays(body ?? {}, route.days))
  const path =
    pathOf(route.path, params) + searchText(route.query, withDays(query, route.days) as typeof query)
  const sent = headersOf(route.headers, headers)
  if (route.body !== undefined) sent['content-type'] = mediaTypes[route.body]
  return { method: route.method, path, headers: sent, body: sentBody }
}

/** The value with text for each `Date` in a field without a time: its day in New York. */
function withDays(value: unknown, days: readonly string[], name = '', parent = ''): unknown {
  if (days.length === 0 || typeof value !== 'object' || value === null) return value
  if (value instanceof Date)
    return days.includes(name) || days.includes(`${parent}.${name}`) ? dayInNewYork(value) : value
  if (Array.isArray(value)) return value.map((item) => withDays(item, days, name, parent))
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [key, withDays(field, days, key, name)]),
  )
}

// The Swedish format of a date is that of the API: `2026-01-31`.
const dayInNewYork = (at: Date): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone: 'America/New_York' }).format(at)

const mediaTypes = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  bytes: 'application/octet-stream',
} as const

function pathOf(path: string, params: Readonly<Record<string, unknown>>): string {
  return path.replace(/\{(\w+)(\.\.\.)?\}/g, (_, name: string) => {
    const value = params[name]
    if (value === undefined || value === null || value === '') throw new TypeError(`${name} is missing`)
    return encodeURIComponent(textOf(value))
  })
}

function searchText(names: readonly string[], query: Readonly<Record<string, unknown>>): string {
  const search = new URLSearchParams(textEntries(names, query)).toString()
  return search === '' ? '' : `?${search}`
}

const headersOf = (
  names: readonly string[],
  headers: Readonly<Record<string, unknown>>,
): Record<string, string> => Object.fromEntries(textEntries(names, headers))

function bodyOf(kind: 'json' | 'form' | 'bytes', body: unknown): string | Uint8Array {
  if (kind === 'bytes') return body as Uint8Array
  if (kind === 'form')
    return new URLSearchParams(textEntries(Object.keys(body as object), body as never)).toString()
  return JSON.stringify(body, (_, value) => (typeof value === 'bigint' ? String(value) : value))
}

function textEntries(
  names: readonly string[],
  values: Readonly<Record<string, unknown>>,
): [string, string][] {
  return names
    .filter((name) => values[name] !== undefined && values[name] !== null)
    .map((name) => [name, textOf(values[name])])
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(',')
  return value instanceof Date ? value.toISOString() : String(value)
}

/** A token, or a function that returns the current one. The function is called for each request and connection. */
export type AccessToken = string | (() => string | Promise<string>)

/** The credential of the client. Omit all fields for public operations. */
export type Credential =
  | Only<{ readonly keyId: string; readonly secretKey: string }>
  | Only<{ readonly accessToken: AccessToken }>
  | Only<{ readonly basic: BasicCredential }>
  | Only<Record<never, never>>

type BasicCredential = { readonly id: string; readonly secret: string }
type CredentialField = 'keyId' | 'secretKey' | 'accessToken' | 'basic'
/** A credential has no fields of another one, so that half a key does not compile. */
type Only<Fields> = Fields & { readonly [Field in Exclude<CredentialField, keyof Fields>]?: undefined }

/** The headers of a credential that does not change. */
export function credentialHeaders(credential: Credential): Readonly<Record<string, string>> {
  const { keyId, secretKey, accessToken, basic } = credential
  if (secretKey !== undefined) return { 'apca-api-key-id': keyId, 'apca-api-secret-key': secretKey }
  if (accessToken !== undefined)
    return typeof accessToken === 'string' ? { authorization: `Bearer ${accessToken}` } : {}
  if (basic === undefined) return {}
  const bytes = new TextEncoder().encode(`${basic.id}:${basic.secret}`)
  return { authorization: `Basic ${btoa(String.fromCharCode(...bytes))}` }
}

/** Adds the current token to each request, if the credential is a function. */
export function withCurrentToken(plainFetch: typeof fetch, credential: Credential): typeof fetch {
  const { accessToken } = credential
  if (typeof accessToken !== 'function') return plainFetch
  return async (url, options) => {
    const authorization = `Bearer ${await accessToken()}`
    return plainFetch(url, { ...options, headers: { ...(options?.headers as object), authorization } })
  }
}

/** The token as streams send it. */
export const requestToken = (accessToken: AccessToken): string | Promise<string> =>
  typeof accessToken === 'string' ? accessToken : accessToken()

/** Whether the program runs on a web page or in a worker of one. */
export const isBrowser: boolean = 'document' in globalThis || 'WorkerGlobalScope' in globalThis

/** A browser names itself, and other headers than the usual ones need the permission of the server. */
export const agentHeaders: Readonly<Record<string, string>> = isBrowser ? {} : { 'user-agent': 'quipu-sdk' }

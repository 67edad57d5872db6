import { cookieIn, cookieKind } from '@quipu/broker/access/cookies.ts'
import { digestOf } from '@quipu/broker/access/credentials.ts'
import { codeOfClient, codeOfKeyId, codeOfSecret, MAIN_CODE } from '@quipu/broker/access/world-code.ts'
import { MAIN } from '@quipu/broker/registry/worlds.ts'
import type { Operation, OperationName } from '@quipu/contract'
import { appByClientId, lastOf } from '@quipu/core'
import { bearerIn, namedKey } from '../auth.ts'
import { requestUrl } from '../connection/host.ts'
import type { Exchange } from '../exchange.ts'
import { subjectOf } from '../oauth/machine-client.ts'
import { clusterOf, type Services } from '../services.ts'

/** Whether the node that receives the request answers it, whatever its world is. */
export const isForAnyNode = ({ family, who, method }: Operation, path: string): boolean =>
  family === 'system' && who[0] === 'anyone' && method === 'GET' && !path.startsWith('/oauth/')

/** The code of the world that a request belongs to, by its credential. Without a credential it is `main`. */
export function codeOfRequest(services: Services, exchange: Exchange, { family }: Operation): string {
  const { headers } = exchange.request
  const isOAuth = family === 'oauth' || exchange.url.path.startsWith('/oauth/')
  // Other operations of OAuth ignore keys and tokens in headers.
  if (!isOAuth || exchange.url.path === '/oauth/introspect') {
    const keyId = headers['apca-api-key-id']
    if (keyId !== undefined) return codeOfKeyId(String(keyId))
    const token = bearerIn(headers)
    if (token !== undefined) return codeOfSecret(token)
  }
  return isOAuth ? codeOfOAuth(services, exchange) : codeOfKeyId(namedKey(headers) ?? '')
}

/** In OAuth the codes, tokens, links and apps in query, form and Basic name the world; without any the session cookie. */
function codeOfOAuth(services: Services, exchange: Exchange): string {
  const codes = codesNamed(exchange)
  // An app may send any text as a token, also one of no world.
  const { byCode } = clusterOf(services).view
  const isKnown = (code: string) => code === MAIN_CODE || byCode.worldOf(code) !== MAIN
  if (codes.length > 0) return codes.find(isKnown) ?? lastOf(codes)
  const cookie = cookieOfPage(services, exchange)
  return cookie === undefined ? MAIN_CODE : codeOfSecret(cookie)
}

function codesNamed({ url: { path, query }, body, request }: Exchange): readonly string[] {
  const forms = [new URLSearchParams(query), formOf(body)]
  // A program of a partner has a key, and belongs to the world of its key.
  const isMachine = path.startsWith('/v1/oauth2/')
  const codes = isMachine ? forms.flatMap(machinesIn).map(codeOfKeyId) : forms.flatMap(codesIn)
  const basic = namedKey({ authorization: request.headers.authorization })
  return basic === undefined ? codes : [...codes, codeOfClient(basic)]
}

/** The session cookie that a page belongs to. The form of a sign-in belongs to `main`. */
function cookieOfPage(services: Services, { url: { path }, request }: Exchange): string | undefined {
  if (path === '/oauth/sign-in' && request.method === 'POST') return undefined
  return cookieIn(request.headers.cookie, cookieKind('session', requestUrl(request, services)))
}

/** Whether only the cookie of a session that has ended names the world of a page. After the body was read. */
export function isOfEndedSession(services: Services, exchange: Exchange): boolean {
  if (!exchange.url.path.startsWith('/oauth/') || codesNamed(exchange).length > 0) return false
  const cookie = cookieOfPage(services, exchange)
  return cookie !== undefined && !services.worlds.access.credentials.byAnySession(cookie, Date.now())
}

/** Operations in which an app, or a key in Basic, names a code or token that another world may have issued. */
const ofTokens: ReadonlySet<string> = new Set([
  'exchangeOAuthCode',
  'revokeOAuthToken',
  'introspectOAuthToken',
] satisfies OperationName[])

/**
 * The code of the world that answers an app about a code or token: that of the app, if the world that issued the code or
 * token does not have the app. Undefined if this node answers. After the body was read.
 */
export function codeOfForeignClient(
  {
    worlds: {
      access: { credentials },
    },
  }: Services,
  exchange: Exchange,
) {
  const { operation, body, request } = exchange
  const { headers } = request
  if (!ofTokens.has(operation) || headers['apca-api-key-id'] !== undefined || bearerIn(headers))
    return undefined
  const form = formOf(body)
  const id = namedKey(headers) ?? form.get('client_id')
  if (!id) return undefined
  const [code, token] = [form.get('code'), form.get('token') ?? form.get('refresh_token')]
  const issuer =
    (code === null ? undefined : credentials.worlds.ofCode(digestOf(code))) ??
    (token === null ? undefined : credentials.worlds.ofToken(digestOf(token)))
  return issuer && appByClientId(issuer.view, id) ? undefined : codeOfClient(id)
}

/** Fields of OAuth forms and queries that name a world, the most specific first. */
const secrets = ['code', 'refresh_token', 'token', 'once'] as const

function codesIn(form: URLSearchParams): string[] {
  const named = secrets.flatMap((name) => form.get(name) || []).map(codeOfSecret)
  const apps = [form.get('client_id') || []].flat().map(codeOfClient)
  // The authorization request of an app, as a query string.
  const request = form.get('request')
  return [...named, ...apps, ...(request ? codesIn(new URLSearchParams(request)) : [])]
}

/** A key of a partner's program. */
function machinesIn(form: URLSearchParams): string[] {
  const assertion = form.get('client_assertion')
  return [(assertion && subjectOf(assertion)) || form.get('client_id') || []].flat()
}

/** The fields of a form; a body in JSON is a form too. */
function formOf(body: Buffer | undefined): URLSearchParams {
  const text = body?.toString() ?? ''
  if (!text.trimStart().startsWith('{')) return new URLSearchParams(text)
  try {
    const fields = Object.entries(JSON.parse(text) as object)
    return new URLSearchParams(
      fields.filter((field): field is [string, string] => typeof field[1] === 'string'),
    )
  } catch {
    return new URLSearchParams()
  }
}

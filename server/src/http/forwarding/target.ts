import type { Operation } from '@quipu/contract'
import { cookieIn, cookieKind } from '../../access/cookies.ts'
import { codeOfKeyId, codeOfSecret, MAIN_CODE } from '../../access/world-code.ts'
import type { Exchange } from '../exchange.ts'
import { requestUrl } from '../host.ts'
import { subjectOf } from '../oauth/machine-client.ts'
import type { Services } from '../services.ts'

/** Whether the node that receives the request answers it, whatever its world is. */
export const isForAnyNode = ({ family, who, method }: Operation, path: string): boolean =>
  family === 'system' && who[0] === 'anyone' && method === 'GET' && !path.startsWith('/oauth/')

/**
 * The code of the world that a request belongs to, by its credential: a key, a token, a session cookie, or in OAuth
 * the app, code, token or link in the form. Without any of them it is `main`.
 */
export function codeOfRequest(
  services: Services,
  exchange: Exchange,
  { family }: Operation,
  body: Buffer | undefined,
): string {
  const { headers } = exchange.request
  const keyId = headers['apca-api-key-id']
  if (keyId !== undefined) return codeOfKeyId(String(keyId))
  const isOAuth = family === 'oauth' || exchange.path.startsWith('/oauth/')
  const { authorization = '' } = headers
  const space = authorization.indexOf(' ')
  const scheme = authorization.slice(0, space).toLowerCase()
  const credential = authorization.slice(space + 1).trim()
  if (scheme === 'bearer') return codeOfSecret(credential)
  if (isOAuth) {
    const named = namedIn(new URLSearchParams(exchange.query)) ?? namedIn(formOf(body))
    if (named !== undefined) return named
  }
  if (scheme === 'basic')
    return codeOfId(Buffer.from(credential, 'base64').toString().split(':')[0]!, isOAuth)
  const cookie = cookieIn(headers.cookie, cookieKind('session', requestUrl(exchange.request, services)))
  return cookie === undefined ? MAIN_CODE : codeOfSecret(cookie)
}

/** The id of a key, or in OAuth of an app. */
function codeOfId(id: string, isOAuth: boolean): string {
  const ofKey = codeOfKeyId(id)
  return isOAuth && ofKey === MAIN_CODE ? codeOfSecret(id) : ofKey
}

/** Fields of OAuth forms and queries that name a world, the most specific first. */
const secrets = ['code', 'refresh_token', 'token', 'once'] as const

function namedIn(form: URLSearchParams): string | undefined {
  for (const name of secrets) {
    const value = form.get(name)
    if (value) return codeOfSecret(value)
  }
  const assertion = form.get('client_assertion')
  const id = (assertion && subjectOf(assertion)) || form.get('client_id')
  if (id) return codeOfId(id, true)
  // The authorization request of an app, as a query string.
  const request = form.get('request')
  return request ? namedIn(new URLSearchParams(request)) : undefined
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

import type { Operation } from '@quipu/contract'
import { cookieIn, cookieKind } from '../../access/cookies.ts'
import { codeOfKeyId, codeOfSecret, MAIN_CODE } from '../../access/world-code.ts'
import { MAIN } from '../../worlds/worlds.ts'
import { bearerOf, namedKey } from '../auth.ts'
import type { Exchange } from '../exchange.ts'
import { requestUrl } from '../host.ts'
import { subjectOf } from '../oauth/machine-client.ts'
import type { Services } from '../services.ts'

/** Whether the node that receives the request answers it, whatever its world is. */
export const isForAnyNode = ({ family, who, method }: Operation, path: string): boolean =>
  family === 'system' && who[0] === 'anyone' && method === 'GET' && !path.startsWith('/oauth/')

/** The code of the world that a request belongs to, by its credential. Without a credential it is `main`. */
export function codeOfRequest(services: Services, exchange: Exchange, { family }: Operation): string {
  const { headers } = exchange.request
  const isOAuth = family === 'oauth' || exchange.path.startsWith('/oauth/')
  // Other operations of OAuth ignore keys and tokens in headers.
  if (!isOAuth || exchange.path === '/oauth/introspect') {
    const keyId = headers['apca-api-key-id']
    if (keyId !== undefined) return codeOfKeyId(String(keyId))
    const token = bearerOf(headers)
    if (token !== undefined) return codeOfSecret(token)
  }
  return isOAuth ? codeOfOAuth(services, exchange) : codeOfKeyId(namedKey(headers) ?? '')
}

/** In OAuth the codes, tokens, links and apps in query, form and Basic name the world; without any the session cookie. */
function codeOfOAuth(services: Services, { path, query, body, request }: Exchange): string {
  const forms = [new URLSearchParams(query), formOf(body)]
  // A program of a partner has a key, and belongs to the world of its key.
  const isMachine = path.startsWith('/v1/oauth2/')
  const codes = isMachine ? forms.flatMap(machinesIn).map(codeOfKeyId) : forms.flatMap(codesIn)
  const { authorization, cookie: cookies } = request.headers
  const basic = namedKey({ authorization })
  if (basic !== undefined) codes.push(codeOfApp(basic))
  // An app may send any text as a token, also one of no world.
  const isKnown = (code: string) => code === MAIN_CODE || services.cluster!.worldOf(code) !== MAIN
  if (codes.length > 0) return codes.find(isKnown) ?? codes.at(-1)!
  if (path === '/oauth/sign-in' && request.method === 'POST') return MAIN_CODE
  const cookie = cookieIn(cookies, cookieKind('session', requestUrl(request, services)))
  return cookie === undefined ? MAIN_CODE : codeOfSecret(cookie)
}

/** The id of an app. Partners introspect tokens with the id of a key. */
function codeOfApp(id: string): string {
  const ofKey = codeOfKeyId(id)
  return ofKey === MAIN_CODE ? codeOfSecret(id) : ofKey
}

/** Fields of OAuth forms and queries that name a world, the most specific first. */
const secrets = ['code', 'refresh_token', 'token', 'once'] as const

function codesIn(form: URLSearchParams): string[] {
  const named = secrets.flatMap((name) => form.get(name) || []).map(codeOfSecret)
  const apps = [form.get('client_id') || []].flat().map(codeOfApp)
  // The authorization request of an app, as a query string.
  const request = form.get('request')
  return [...named, ...apps, ...(request ? codesIn(new URLSearchParams(request)) : [])]
}

/** The key of a program of a partner. */
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

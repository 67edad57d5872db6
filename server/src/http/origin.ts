import type { IncomingMessage } from 'node:http'
import { isAllowedOrigin } from './cors.ts'
import { publicUrlOf } from './host.ts'
import type { Services } from './services.ts'

/** Which page sent a request, as the browser reports: one of this server, one of another origin, or not reported. */
export type Source = 'own' | 'foreign' | 'unknown'

type Place = Pick<Services, 'serverState' | 'cors'>

/** Browsers send `Sec-Fetch-Site` over https and on loopback; over plain http elsewhere they send `Origin` alone. */
export function sourceOf({ headers }: IncomingMessage, place: Pick<Place, 'serverState'>): Source {
  const site = headers['sec-fetch-site']
  if (site === 'same-origin') return 'own'
  if (site !== undefined && site !== 'none') return 'foreign'
  const { origin, host } = headers
  if (origin === undefined) return 'unknown'
  const given = URL.parse(origin)
  const isOwn = given?.origin === URL.parse(publicUrlOf(place))?.origin || given?.host === host?.toLowerCase()
  return given && isOwn ? 'own' : 'foreign'
}

const SAFE: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Whether a page of another origin tries to change something or to open a stream. A browser adds cookies and remembered
 * keys to such requests by itself. Clients that are no browsers send neither header and pass.
 */
export function isCrossSite(request: IncomingMessage, place: Place, isUpgrade = false): boolean {
  if (!isUpgrade && SAFE.has(request.method)) return false
  return sourceOf(request, place) === 'foreign' && !isAllowedOrigin(place.cors, request.headers.origin)
}

const BASIC = /(?:^|, *)Basic realm="[^"]*"/

/** A browser that is offered Basic asks for a key and adds it to the requests of every page; so it is not offered. */
export function challengesFor(request: IncomingMessage, answer: readonly string[]): readonly string[] {
  const at = answer.indexOf('WWW-Authenticate')
  if (at < 0 || !isBrowser(request)) return answer
  const challenge = answer[at + 1]?.replace(BASIC, '') ?? ''
  return answer.toSpliced(at, 2, ...(challenge === '' ? [] : ['WWW-Authenticate', challenge]))
}

/** Browsers send where a request comes from beside its mode. Node's `fetch` sends the mode `cors` alone. */
const isBrowser = ({ headers }: IncomingMessage): boolean =>
  headers['sec-fetch-mode'] !== undefined &&
  (headers['sec-fetch-mode'] !== 'cors' || headers['sec-fetch-site'] !== undefined)

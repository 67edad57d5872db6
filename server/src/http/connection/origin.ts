import type { IncomingMessage } from 'node:http'
import type { Services } from '../services.ts'
import { isAllowedOrigin } from './cors.ts'
import { publicUrlOf } from './host.ts'

/** The origin of the page that sent a request, as the browser reports it: this server, another one, or not reported. */
export type RequestSource = 'own' | 'foreign' | 'unknown'

/** Browsers send `Sec-Fetch-Site` over https and on loopback; over plain http elsewhere they send `Origin` alone. */
export function sourceOf(
  { headers }: IncomingMessage,
  services: Pick<Services, 'serverState'>,
): RequestSource {
  const site = headers['sec-fetch-site']
  if (site === 'same-origin') return 'own'
  if (site !== undefined && site !== 'none') return 'foreign'
  const { origin, host } = headers
  if (origin === undefined) return 'unknown'
  const url = URL.parse(origin)
  const isOwn = url?.origin === URL.parse(publicUrlOf(services))?.origin || url?.host === host?.toLowerCase()
  return url && isOwn ? 'own' : 'foreign'
}

const SAFE: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Whether a page of another origin tries to change something or to open a stream. A browser adds cookies and stored
 * keys to these requests. Clients other than browsers send neither header and pass.
 */
export function isCrossSite(
  request: IncomingMessage,
  services: Pick<Services, 'serverState' | 'settings'>,
  isUpgrade = false,
): boolean {
  if (!isUpgrade && SAFE.has(request.method)) return false
  const { cors } = services.settings
  return sourceOf(request, services) === 'foreign' && !isAllowedOrigin(cors, request.headers.origin)
}

const BASIC = /(?:^|, *)Basic realm="[^"]*"/

/** Removes the Basic challenge for browsers: a browser would store the key and add it to requests of every page. */
export function challengesFor(request: IncomingMessage, response: readonly string[]): readonly string[] {
  const at = response.indexOf('WWW-Authenticate')
  if (at < 0 || !isBrowser(request)) return response
  const challenge = response[at + 1]?.replace(BASIC, '') ?? ''
  return response.toSpliced(at, 2, ...(challenge === '' ? [] : ['WWW-Authenticate', challenge]))
}

/** Browsers send Sec-Fetch-Site and Sec-Fetch-Mode. Node's `fetch` sends only the mode `cors`. */
const isBrowser = ({ headers }: IncomingMessage): boolean =>
  headers['sec-fetch-mode'] !== undefined &&
  (headers['sec-fetch-mode'] !== 'cors' || headers['sec-fetch-site'] !== undefined)

import type { IncomingMessage } from 'node:http'
import type { Flavour } from '@quipu/core'
import { isLoopback } from '../../config/reach.ts'
import { forwardedOf } from '../forwarding/peer.ts'
import type { Services } from '../services.ts'
import { forwarded } from './client-address.ts'

/**
 * The guard of the Host header. A server that is bound to another address than loopback is reached under names that it
 * cannot know, so it accepts all.
 */
export function makeHostGuard(binding: { readonly host: string; readonly publicUrl?: string }): HostGuard {
  if (!isLoopback(binding.host)) return () => true
  const { publicUrl } = binding
  const others = publicUrl === undefined ? [] : [new URL(publicUrl).hostname]
  return makeLoopbackGuard([binding.host.toLowerCase(), ...others])
}

/** The account that a token with a live and a paper account uses under this Host. */
export const flavourOf = (host: string | undefined): Flavour =>
  host?.startsWith('api.') || host?.startsWith('live.') ? 'live' : 'paper'

/** Node keeps the first Host header and drops the others, but a proxy in front may have used another one. */
export function hasSeveralHosts({ rawHeaders }: IncomingMessage): boolean {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1
  }
  return count > 1
}

/**
 * The host name of pages on loopback. Cookies ignore ports: a session under `127.0.0.1` or `localhost` would be sent to
 * every program of the machine that a browser visits. Browsers resolve names below `localhost` by themselves.
 */
const PAGES_HOST = 'quipu.localhost'

/**
 * Safari leaves names below `localhost` to the system, which does not resolve them. There the pages stay at the name that
 * the browser uses: the path of the cookie is then all that keeps it from other programs of the machine.
 */
const resolvesPagesHost = (userAgent = ''): boolean =>
  !/\bVersion\/\S+ .*\bSafari\//.test(userAgent) || /\b(Chrome|Chromium|Android)\b/.test(userAgent)

const LOOPBACK = /^(127(?:\.\d{1,3}){3}|localhost|\[::1\])\.?(:\d{1,5})?$/i

/** The URL to redirect a browser to if it requests a page under a loopback name; undefined if no redirect is needed. */
export function pageRedirect(
  request: IncomingMessage,
  services: Pick<Services, 'serverState' | 'settings'>,
  path: string,
): string | undefined {
  const [{ headers }, { serverState }] = [request, services]
  // Behind a public URL the Host header may be that of a proxy on this machine.
  if (serverState.publicUrl !== undefined || !headers.accept?.includes('text/html')) return undefined
  if (!resolvesPagesHost(headers['user-agent'])) return undefined
  const [, name, port = ''] = LOOPBACK.exec(headers.host ?? '') ?? []
  return name && `${new URL(requestUrl(request, services)).protocol}//${PAGES_HOST}${port}${path}`
}

/** Whether a URI has the host name of our pages, on any port: a browser sends our cookie to it. */
export function isOnPagesHost(uri: string, { serverState }: Pick<Services, 'serverState'>): boolean {
  const name = hostNameOf(uri)
  return name !== undefined && (name === PAGES_HOST || name === hostNameOf(serverState.publicUrl ?? ''))
}

function hostNameOf(uri: string): string | undefined {
  const url = URL.parse(uri)
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url.hostname.replace(/\.$/, '') : undefined
}

/** The URL of this server for clients: QUIPU_PUBLIC_URL, else the listening address. Without a final slash. */
export const publicUrlOf = ({
  serverState: { url, publicUrl = url },
}: Pick<Services, 'serverState'>): string =>
  publicUrl.endsWith('/') ? publicUrl.replace(/\/+$/, '') : publicUrl

/** Whether a client must use another connection for its next request. Another node of the cluster need not. */
export const isEnding = ({ phase }: Services['serverState'], request: IncomingMessage): boolean =>
  phase === 'stopping' || (phase === 'leaving' && !forwardedOf(request))

/** The same with the scheme that the client used, if a trusted proxy reports it. */
export function requestUrl(
  request: IncomingMessage,
  services: Pick<Services, 'serverState' | 'settings'>,
): string {
  const url = publicUrlOf(services)
  const peer = forwardedOf(request)
  if ((!services.settings.trustProxy && !peer) || services.serverState.publicUrl !== undefined) return url
  const scheme = peer?.scheme ?? forwarded(request.headers['x-forwarded-proto'])
  return scheme === 'https' || scheme === 'http' ? url.replace(/^https?/, scheme) : url
}

/** Whether a server accepts a Host header. */
export type HostGuard = (host: string | undefined) => boolean

const loopbackNames = ['localhost', '127.0.0.1', '[::1]'] as const
const OFFICIAL = '.alpaca.markets'
const KNOWN_MAX = 100

/**
 * Prevents DNS rebinding on a server of this machine: a page whose name resolves to this machine sends its own name as
 * Host. `others` are further names of the server.
 */
export function makeLoopbackGuard(others: readonly string[] = []): HostGuard {
  const served = new Set<string>([...loopbackNames, ...others])
  const known = new Set<string>()
  return (host) => {
    if (host === undefined) return false
    if (known.has(host)) return true
    const name = nameOf(host)
    const allowed = served.has(name) || name.endsWith('.localhost') || name.endsWith(OFFICIAL)
    if (allowed && known.size < KNOWN_MAX) known.add(host)
    return allowed
  }
}

/** The name without its port and its final dot. */
function nameOf(host: string): string {
  const end = host.startsWith('[') ? host.indexOf(']') + 1 : host.lastIndexOf(':')
  const name = (end > 0 ? host.slice(0, end) : host).toLowerCase()
  return name.endsWith('.') ? name.slice(0, -1) : name
}

import type { IncomingMessage } from 'node:http'
import type { Flavour } from '@quipu/core'
import { isLoopback } from '../config/settings.table.ts'
import { forwarded } from './client-address.ts'
import type { Services } from './services.ts'

/** Says whether a Host header may be served. */
export type HostGuard = (host: string | undefined) => boolean

const loopbackNames = ['localhost', '127.0.0.1', '[::1]'] as const
const OFFICIAL = '.alpaca.markets'
const KNOWN_MAX = 100

/**
 * Against DNS rebinding: on loopback, a page on the internet whose name is made to lead here sends its own
 * name as Host. Bound to other addresses the server is meant to be reached under names it cannot know.
 */
export function makeHostGuard(binding: { readonly host: string; readonly publicUrl?: string }): HostGuard {
  if (!isLoopback(binding.host)) return () => true
  const ours = new Set<string>([...loopbackNames, binding.host.toLowerCase()])
  if (binding.publicUrl !== undefined) ours.add(new URL(binding.publicUrl).hostname)
  const known = new Set<string>()
  return (host) => {
    if (host === undefined) return false
    if (known.has(host)) return true
    const name = nameOf(host)
    const allowed = ours.has(name) || name.endsWith('.localhost') || name.endsWith(OFFICIAL)
    if (allowed && known.size < KNOWN_MAX) known.add(host)
    return allowed
  }
}

/** The name without its port and without the dot that may end it. */
function nameOf(host: string): string {
  const end = host.startsWith('[') ? host.indexOf(']') + 1 : host.lastIndexOf(':')
  const name = (end > 0 ? host.slice(0, end) : host).toLowerCase()
  return name.endsWith('.') ? name.slice(0, -1) : name
}

/** A token that holds a live and a paper account acts on the live one under these names. */
export const flavourOf = (host: string | undefined): Flavour =>
  host?.startsWith('api.') || host?.startsWith('live.') ? 'live' : 'paper'

/** Node keeps the first Host header and drops the others, while a proxy in front may have looked at another one. */
export function hasSeveralHosts({ rawHeaders }: IncomingMessage): boolean {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1
  }
  return count > 1
}

/**
 * The host name of pages on loopback. Cookies ignore ports: a session under `127.0.0.1` or `localhost` would be sent to
 * every program of the machine that a browser visits. Browsers resolve names below `localhost` by themselves.
 */
const PAGES_HOST = 'quipu.localhost'

const LOOPBACK = /^(127(?:\.\d{1,3}){3}|localhost|\[::1\])\.?(:\d{1,5})?$/i

/** Where a browser finds a page that it asked for under a loopback name; nothing where it is right already. */
export function pageRedirect(
  request: IncomingMessage,
  services: Pick<Services, 'serverState' | 'trustProxy'>,
  path: string,
): string | undefined {
  const [{ headers }, { serverState }] = [request, services]
  // Behind a public URL the Host header may be that of a proxy on this machine.
  if (serverState.publicUrl !== undefined || !headers.accept?.includes('text/html')) return undefined
  const [, name, port = ''] = LOOPBACK.exec(headers.host ?? '') ?? []
  return name && `${new URL(requestUrl(request, services)).protocol}//${PAGES_HOST}${port}${path}`
}

/** Whether an address has the host name of our pages, on any port: a browser would send our cookie there. */
export function isOnPagesHost(uri: string, { serverState }: Pick<Services, 'serverState'>): boolean {
  const name = hostNameOf(uri)
  return name !== undefined && (name === PAGES_HOST || name === hostNameOf(serverState.publicUrl ?? ''))
}

function hostNameOf(uri: string): string | undefined {
  const url = URL.parse(uri)
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url.hostname.replace(/\.$/, '') : undefined
}

/** Where clients reach this server: QUIPU_PUBLIC_URL, else where it listens. Without a slash at its end. */
export const publicUrlOf = ({ serverState: { url } }: Pick<Services, 'serverState'>): string =>
  url.endsWith('/') ? url.replace(/\/+$/, '') : url

/** The same with the scheme that the client used, as far as a trusted proxy in front reports it. */
export function requestUrl(
  { headers }: IncomingMessage,
  services: Pick<Services, 'serverState' | 'trustProxy'>,
): string {
  const url = publicUrlOf(services)
  if (!services.trustProxy || services.serverState.publicUrl !== undefined) return url
  const scheme = forwarded(headers['x-forwarded-proto'])
  return scheme === 'https' || scheme === 'http' ? url.replace(/^https?/, scheme) : url
}

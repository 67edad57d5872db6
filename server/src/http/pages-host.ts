import type { IncomingMessage } from 'node:http'
import { urlAsked } from './public-url.ts'
import type { Services } from './services.ts'

/**
 * The host name of pages on loopback. Cookies ignore ports: a session under `127.0.0.1` or `localhost` would be sent to
 * every program of the machine that a browser visits. Browsers resolve names below `localhost` by themselves.
 */
const PAGES_HOST = 'quipu.localhost'

const LOOPBACK = /^(127(?:\.\d{1,3}){3}|localhost|\[::1\])\.?(:\d{1,5})?$/i

/** Where a browser finds a page that it asked for under a loopback name; nothing where it is right already. */
export function pageElsewhere(
  request: IncomingMessage,
  services: Pick<Services, 'here' | 'trustProxy'>,
  path: string,
): string | undefined {
  const [{ headers }, { here }] = [request, services]
  // Behind a public URL the Host header may be that of a proxy on this machine.
  if (here.publicUrl !== undefined || !headers.accept?.includes('text/html')) return undefined
  const [, name, port = ''] = LOOPBACK.exec(headers.host ?? '') ?? []
  return name && `${new URL(urlAsked(request, services)).protocol}//${PAGES_HOST}${port}${path}`
}

/** Whether an address has the host name of our pages, on any port: a browser would send our cookie there. */
export function isOnPagesHost(uri: string, { here }: Pick<Services, 'here'>): boolean {
  const name = hostNameOf(uri)
  return name !== undefined && (name === PAGES_HOST || name === hostNameOf(here.publicUrl ?? ''))
}

function hostNameOf(uri: string): string | undefined {
  const url = URL.parse(uri)
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url.hostname.replace(/\.$/, '') : undefined
}

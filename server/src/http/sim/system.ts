import { openApi, operations, referencePage } from '@quipu/contract'
import { clockWarning } from '../../clock/watch.ts'
import { refuse } from '../../wire/refusal.ts'
import { isWho, unauthorized } from '../auth.ts'
import type { Context, SomeHandlers } from '../context.ts'
import { pageHeaders } from '../security-headers.ts'
import type { Services } from '../services.ts'

export const systemHandlers = {
  getPage: (_, context) =>
    withPageHeaders(context, frontPage(context.services.version, context.services.serverState.url)),
  getReference: (_, context) => withPageHeaders(context, cachedDocument(context.services, 'reference')),
  getOpenApi: (_, { services }) => cachedDocument(services, 'openApi'),
  getSecurityText: (_, { services }) => securityText(services),
  getHealth: () => ({ status: 'ok' }),
  getReadiness: (_, { services }) => {
    const problem = whyNotReady(services)
    if (problem !== undefined) throw refuse({ code: 'notReady', problem }, ['Retry-After', '1'])
    const warning = clockWarning(services.worlds.main)
    return { status: 'ready', warning }
  },
  getMetrics: (_, { services, caller, request }) => {
    const isOperator = caller !== undefined && isWho('operator', caller)
    if (services.metricsFor === 'operator' && !isOperator)
      throw unauthorized(operations.getMetrics, request.headers)
    return services.metrics.text({ worlds: isOperator })
  },
} satisfies SomeHandlers

function withPageHeaders<Document extends string | Uint8Array>(context: Context, page: Document): Document {
  for (const [name, value] of pageHeaders(page)) context.header(name, value)
  return page
}

/** RFC 9116 recommends an expiry of less than a year. */
const CONTACT_MS = 180 * 86_400_000

/** Without a setting the contact is the security mailbox of RFC 2142. */
function securityText({ serverState: { url }, securityContact }: Services): string {
  const { hostname } = new URL(url)
  const host = /^[\d.]+$/.test(hostname) ? `[${hostname}]` : hostname.replace(/^\[/, '[IPv6:')
  const lines = {
    Contact: securityContact ?? `mailto:security@${host}`,
    Expires: new Date(Date.now() + CONTACT_MS).toISOString(),
    Canonical: `${url}/.well-known/security.txt`,
    'Preferred-Languages': 'en',
  }
  return Object.entries(lines)
    .map(([name, value]) => `${name}: ${value}\n`)
    .join('')
}

type Origin = { readonly version: string; readonly url: string }

const generators = {
  reference: (origin: Origin) => referencePage(origin),
  openApi: (origin: Origin) => JSON.stringify(openApi(origin), null, 2),
}

/** Generated once: each takes milliseconds, needs no credentials, and does not change while the server runs. */
function cachedDocument({ version, serverState }: Services, name: keyof typeof generators): Uint8Array {
  const cache = documents.get(serverState) ?? {}
  documents.set(serverState, cache)
  return (cache[name] ??= Buffer.from(generators[name]({ version, url: serverState.url })))
}

const documents = new WeakMap<Services['serverState'], Partial<Record<keyof typeof generators, Uint8Array>>>()

function whyNotReady({ serverState, worlds, disk }: Services): string | undefined {
  if (serverState.phase !== 'ready') return `the server is ${serverState.phase}`
  if (disk?.isFull) return 'the disk is full'
  // A stopped world in memory does not affect the readiness of the server.
  const closed = worlds
    .entries()
    .find(({ world, durable }) => (durable || world === worlds.main) && !world.isUp)
  return closed && `the world ${closed.world.id} is being rebuilt`
}

/** The front page for browsers. It loads nothing from other hosts and runs no script. */
export const frontPage = (version: string, url: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Quipu</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 42rem; margin: 3rem auto; padding: 0 1rem }
pre { overflow-x: auto; padding: .75rem; border: 1px solid #8886; border-radius: 4px }
:root { color-scheme: light dark }
</style>
</head>
<body>
<h1>Quipu ${escaped(version)}</h1>
<p>This is a brokerage for programs: accounts, orders, market data, streams, OAuth apps and tokenized shares,
compatible with the public Alpaca protocol. Prices are simulated and the money is not real.</p>
<p>Point a client at <code>${escaped(url)}</code>, with the key that <code>quipu env</code> prints:</p>
<pre>curl -H "APCA-API-KEY-ID: $APCA_API_KEY_ID" -H "APCA-API-SECRET-KEY: $APCA_API_SECRET_KEY" ${escaped(url)}/v2/account</pre>
<ul>
<li><a href="/oauth/apps">Sign in, and see which apps may act for you</a></li>
<li><a href="/docs">Reference of all operations</a></li>
<li><a href="/openapi.json">The same as OpenAPI</a></li>
<li><a href="/readyz">Readiness</a> <a href="/metrics">Metrics</a></li>
</ul>
</body>
</html>
`

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

import type { networkInterfaces } from 'node:os'
import type { OwnerCredentials } from '../owner-file.ts'
import { counted } from './output.ts'

/** What a server tells when it is ready; also what a detached one tells the process that started it. */
export type Ready = {
  readonly url: string
  readonly version: string
  /** By which other computers reach it; where it listens on every address. */
  readonly urlsElsewhere?: readonly string[]
  /** Absent in memory. */
  readonly dataFolder?: string
  readonly credentials: OwnerCredentials
  /** Signs the owner in, once; of a first start alone. */
  readonly signInUrl?: string
  /** What the operator should know about the clock. */
  readonly warning?: string
  /** Absent where there was nothing to recover: on a new folder and in memory. */
  readonly recovered?: { readonly events: number; readonly openOrders: number; readonly cutBytes: number }
}

/** One line for programs. What is not known is absent. */
export const readyJson = ({ credentials, url, version, dataFolder, ...rest }: Ready): string =>
  JSON.stringify({ url, version, dataFolder, ...credentials, ...rest })

/** How this program is called here, and whether it runs in the background. */
export type Manner = { readonly self: string; readonly detached: boolean }

/** A machine with containers has many. */
const URLS_MAX = 3

/** The screen for a person, at most 15 lines. */
export function readyScreen(ready: Ready, manner: Manner): string {
  const { url, urlsElsewhere, version, dataFolder, credentials, recovered, signInUrl, warning } = ready
  return [
    `Quipu ${version} listens on ${url}`,
    ...(urlsElsewhere ? [`From other computers: ${urlsElsewhere.slice(0, URLS_MAX).join(' ')}`] : []),
    ...(recovered ? [recoveredLine(recovered)] : []),
    ...(warning ? [`Warning: ${warning}`] : []),
    '',
    ...keyLines(credentials),
    `  Sign in    ${signInUrl ? `${signInUrl} (once, within a day)` : `${manner.self} open`}`,
    dataFolder ? `  Books      ${dataFolder}` : '  Books      in memory, gone with the process',
    ...firstOrder(ready),
    '',
    footer(ready, manner),
  ].join('\n')
}

function footer({ url, dataFolder }: Ready, { self, detached }: Manner): string {
  if (dataFolder === undefined) return `Reference: ${url}/docs · Stop: Ctrl-C`
  const programs = `Programs: eval "$(${self.replace('npm run', 'npm run -s')} env)"`
  return `${programs} · Reference: ${url}/docs · Stop: ${detached ? '' : 'Ctrl-C or '}${self} stop`
}

function recoveredLine({ events, openOrders, cutBytes }: NonNullable<Ready['recovered']>): string {
  const cut =
    cutBytes > 0 ? `; ${cutBytes} bytes of an unfinished, never acknowledged write were cut off` : ''
  return `Recovered ${counted(events, 'event')}, ${counted(openOrders, 'open order')}${cut}`
}

const keyLines = ({ keyId, secretKey }: OwnerCredentials): readonly string[] =>
  keyId === undefined || secretKey === undefined ? [] : [`  Key id     ${keyId}`, `  Secret     ${secretKey}`]

/** A line that works when pasted. */
function firstOrder({ url, credentials: { keyId, secretKey } }: Ready): readonly string[] {
  if (keyId === undefined || secretKey === undefined) return []
  const order = '{"symbol":"AAPL","qty":"1","side":"buy","type":"market","time_in_force":"day"}'
  return [
    '',
    'A first order:',
    `  curl ${url}/v2/orders -H 'APCA-API-KEY-ID: ${keyId}' -H 'APCA-API-SECRET-KEY: ${secretKey}' ` +
      `-H 'Content-Type: application/json' -d '${order}'`,
  ]
}

/** The addresses of this machine by which other computers reach a server that listens on all of them. */
export function urlsElsewhere(
  host: string,
  url: string,
  interfaces: ReturnType<typeof networkInterfaces>,
): Pick<Ready, 'urlsElsewhere'> {
  if (host !== '0.0.0.0' && host !== '::') return {}
  const urls = Object.values(interfaces)
    .flatMap((some) => some ?? [])
    .filter(({ internal, family }) => !internal && family === 'IPv4')
    .map(({ address }) => url.replace('localhost', address))
  return urls.length > 0 ? { urlsElsewhere: urls } : {}
}

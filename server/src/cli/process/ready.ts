import type { networkInterfaces } from 'node:os'
import type { OwnerCredentials } from '../../process/owner-file.ts'
import { counted } from '../output.ts'

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

/** How the screen is shown: what a person types here before a command, and whether the server runs in the background. */
export type Manner = {
  readonly self: string
  readonly detached: boolean
  /** The data folder, where a command needs it to find this server from any folder. */
  readonly data?: string
}

/** A machine with containers has many. */
const URLS_MAX = 3

/** The screen for a person, at most 15 lines. */
export function readyScreen(ready: Ready, manner: Manner): string {
  const { url, dataFolder, credentials, signInUrl } = ready
  return [
    stateScreen(ready),
    '',
    ...keyLines(credentials),
    `  Sign in    ${signInUrl ? `${signInUrl} (once, within a day)` : typed(manner, 'open')}`,
    `  Data       ${dataFolder ?? 'in memory, deleted when the server stops'}`,
    ...(dataFolder
      ? [`  Programs   eval "$(${typed(manner, 'env').replace('npm run', 'npm run -s')})"`]
      : []),
    `  Reference  ${url}/docs`,
    `  Stop       ${stopHint(ready, manner)}`,
    ...firstOrder(ready),
  ].join('\n')
}

/** The same without credentials, for the log of a service manager. */
export function stateScreen({ url, urlsElsewhere, version, recovered, warning }: Ready): string {
  return [
    `Quipu ${version} listens on ${url}`,
    ...(urlsElsewhere ? [`From other computers: ${urlsElsewhere.slice(0, URLS_MAX).join(' ')}`] : []),
    ...(recovered ? [recoveredLine(recovered)] : []),
    ...(warning ? [`Warning: ${warning}`] : []),
  ].join('\n')
}

export function withoutSecrets({ signInUrl: _, ...ready }: Ready): Ready {
  return { ...ready, credentials: {} }
}

const typed = ({ self, data }: Manner, command: string): string =>
  `${self} ${command}${data === undefined ? '' : ` --data ${shellWord(data)}`}`

/** A word as a shell reads it back. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`

function stopHint({ dataFolder }: Ready, manner: Manner): string {
  if (dataFolder === undefined) return 'Ctrl-C'
  return manner.detached ? typed(manner, 'stop') : `Ctrl-C or ${typed(manner, 'stop')}`
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

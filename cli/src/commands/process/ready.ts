import type { networkInterfaces } from 'node:os'
import type { OwnerCredentials } from '@quipu/broker/data-folder/owner-file.ts'
import { shellWord } from '@quipu/server/doctor/shell-word.ts'
import { counted } from '../output.ts'

/** The description of a server that is ready; a background server also sends it to its parent. */
export type Ready = {
  /** The server's own address. */
  readonly url: string
  /** QUIPU_PUBLIC_URL, if set. */
  readonly publicUrl?: string | undefined
  readonly version: string
  /** URLs for other computers, if the server listens on every address. */
  readonly urlsElsewhere?: readonly string[] | undefined
  /** Absent for a server in memory. */
  readonly dataFolder?: string | undefined
  readonly credentials: OwnerCredentials
  /** One-time sign-in link of the owner; only at a first start. */
  readonly signInUrl?: string | undefined
  /** A warning about the clock. */
  readonly warning?: string | undefined
  /** Absent for a new folder and in memory. */
  readonly recovered?: Recovered | undefined
}

type Recovered = { readonly events: number; readonly openOrders: number; readonly cutBytes: number }

/** One JSON line for programs, without unknown fields. */
export const readyJson = ({ credentials, url, publicUrl, version, dataFolder, ...rest }: Ready): string =>
  JSON.stringify({ url, publicUrl, version, dataFolder, ...credentials, ...rest })

/** How the screen names commands: the command prefix, and whether the server runs in the background. */
export type ScreenOptions = {
  readonly self: string
  readonly detached: boolean
  /** The data folder, if a command needs it to find this server. */
  readonly data?: string | undefined
}

/** A machine with containers has many addresses. */
const URLS_MAX = 3

/** The screen for a person, at most 15 lines. */
export function readyScreen(ready: Ready, options: ScreenOptions): string {
  const { url, publicUrl = url, dataFolder, credentials, signInUrl } = ready
  return [
    stateScreen(ready),
    '',
    ...keyLines(credentials),
    `  Sign in    ${signInUrl ? `${signInUrl} (once, within a day)` : typed(options, 'open')}`,
    `  Data       ${dataFolder ?? 'in memory, deleted when the server stops'}`,
    ...(dataFolder
      ? [`  Programs   eval "$(${typed(options, 'env').replace('npm run', 'npm run -s')})"`]
      : []),
    `  Docs       ${publicUrl}/docs`,
    `  Stop       ${stopHint(ready, options)}`,
    ...firstOrder(ready),
  ].join('\n')
}

/** The same without credentials, for service manager logs. */
export function stateScreen({ url, publicUrl, urlsElsewhere, version, recovered, warning }: Ready): string {
  return [
    `Quipu ${version} listens on ${url}${publicUrl === undefined ? '' : `, for clients ${publicUrl}`}`,
    ...(urlsElsewhere ? [`From other computers: ${urlsElsewhere.slice(0, URLS_MAX).join(' ')}`] : []),
    ...(recovered ? [recoveredLine(recovered)] : []),
    ...(warning ? [`Warning: ${warning}`] : []),
  ].join('\n')
}

export function withoutSecrets({ signInUrl: _, ...ready }: Ready): Ready {
  return { ...ready, credentials: {} }
}

const typed = ({ self, data }: ScreenOptions, command: string): string =>
  `${self} ${command}${data === undefined ? '' : ` --data ${shellWord(data)}`}`

function stopHint({ dataFolder }: Ready, options: ScreenOptions): string {
  if (dataFolder === undefined) return 'Ctrl-C'
  return options.detached ? typed(options, 'stop') : `Ctrl-C or ${typed(options, 'stop')}`
}

function recoveredLine({ events, openOrders, cutBytes }: NonNullable<Ready['recovered']>): string {
  const cut =
    cutBytes > 0 ? `; ${cutBytes} bytes of an unfinished write, which was never confirmed, were removed` : ''
  return `Recovered ${counted(events, 'event')}, ${counted(openOrders, 'open order')}${cut}`
}

const keyLines = ({ keyId, secretKey }: OwnerCredentials): readonly string[] =>
  keyId === undefined || secretKey === undefined ? [] : [`  Key id     ${keyId}`, `  Secret     ${secretKey}`]

/** A curl command that works when pasted. */
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

/** The URLs under which other computers reach a server that listens on all addresses. */
export function urlsElsewhere(
  host: string,
  url: string,
  interfaces: ReturnType<typeof networkInterfaces>,
): readonly string[] | undefined {
  if (host !== '0.0.0.0' && host !== '::') return undefined
  const urls = Object.values(interfaces)
    .flatMap((some) => some ?? [])
    .filter(({ internal, family }) => !internal && family === 'IPv4')
    .map(({ address }) => url.replace('localhost', address))
  return urls.length > 0 ? urls : undefined
}

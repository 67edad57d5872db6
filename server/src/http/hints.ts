import type { Ticker } from '@quipu/core'
import { nearest } from '../config/nearest.ts'
import type { Log } from '../process/log.ts'
import type { Reason } from '../wire/refusal.ts'
import type { World } from '../world/world.ts'
import { namedKey } from './auth.ts'
import type { Exchange } from './exchange.ts'
import type { Services } from './services.ts'

/** Words in the log for the usual first mistakes; answers never change. */
export function hintAtRefusal(services: Services, exchange: Exchange, reason: Reason): void {
  switch (reason.code) {
    case 'unauthorized':
    case 'unauthorizedTokenization':
      return hintAtKey(services, namedKey(exchange.request.headers))
    case 'endpointNotFound':
      return hintAtPath(services.log, exchange.path)
    case 'assetNotFound':
    case 'symbolNotFound':
    case 'assetUnknown':
      return hintAtSymbol(services.log, exchange.context?.world, String(reason['symbol']))
    default:
      return
  }
}

const SHOWN = 4
const SYMBOL_SHOWN = 20

export function hintAtKey(
  { log, credentials }: Pick<Services, 'log' | 'credentials'>,
  keyId: string | undefined,
): void {
  if (keyId === undefined || credentials.knows(keyId)) return
  // Only its beginning: someone may have put the secret where the key id belongs.
  log.hint(
    'unknown key',
    `nobody here has the key "${keyId.slice(0, SHOWN)}…" a client named; \`quipu env\` prints one that works`,
  )
}

function hintAtPath(log: Log, path: string): void {
  if (path.startsWith('/v2/v2/'))
    log.hint('base url', 'a request came to /v2/v2/…: the base URL of a client should end before /v2')
}

export function hintAtSymbol(log: Log, world: World | undefined, symbol: string): void {
  // A world that was refused because it is being rebuilt has no market either.
  if (!world?.isUp || world.market.assets().has(symbol as Ticker)) return
  const near = nearest(symbol.slice(0, SYMBOL_SHOWN), [...world.market.assets().keys()])
  const advice = near === undefined ? 'GET /v2/assets lists what there is' : `did you mean ${near}?`
  log.hint('unknown symbol', `this market has no "${symbol.slice(0, SYMBOL_SHOWN)}"; ${advice}`)
}

const TLS_HANDSHAKE = 0x16

/** Bytes that are no HTTP: a TLS greeting means https was spoken to the http port. */
export function hintAtBytes(log: Log, packet: Buffer | undefined): void {
  if (packet?.[0] === TLS_HANDSHAKE)
    log.hint('https on http', 'someone spoke https to this http port: use an address that begins http://')
}

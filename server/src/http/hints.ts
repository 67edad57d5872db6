import { MAGIC_SYMBOL } from '@quipu/broker/faults/magic.ts'
import type { Log } from '@quipu/broker/log/log.ts'
import type { World } from '@quipu/broker/world/world.ts'
import { hasId } from '@quipu/core/values'
import { nearest } from '../config/nearest.ts'
import type { Reason } from '../wire/refusal.ts'
import { namedKey } from './auth.ts'
import type { Exchange } from './exchange.ts'
import type { Services } from './services.ts'

/** Logs a hint for the usual mistakes of new users; the response does not change. */
export function hintAtRefusal(services: Services, exchange: Exchange, reason: Reason): void {
  if (UNKNOWN_KEY.has(reason.code)) hintAtKey(services, namedKey(exchange.request.headers))
  else if (reason.code === 'endpointNotFound') hintAtPath(services.log, exchange.url.path)
  else if (UNKNOWN_SYMBOL.has(reason.code))
    hintAtSymbol(services.log, exchange.context?.state.world, String(reason['symbol']))
}

const UNKNOWN_KEY: ReadonlySet<Reason['code']> = new Set(['unauthorized', 'unauthorizedTokenization'])
const UNKNOWN_SYMBOL: ReadonlySet<Reason['code']> = new Set([
  'assetNotFound',
  'symbolNotFound',
  'assetUnknown',
])

const KEY_CHARACTERS = 4
const SYMBOL_CHARACTERS = 20

export function hintAtKey(
  { log, worlds }: Pick<Services, 'log' | 'worlds'>,
  keyId: string | undefined,
): void {
  if (keyId === undefined || worlds.access.credentials.worlds.ofKey(keyId)) return
  // Only the first characters, because a client may send its secret as the key id by mistake.
  log.hint(
    'unknown key',
    `unknown API key "${keyId.slice(0, KEY_CHARACTERS)}…"; \`quipu env\` prints a valid key`,
  )
}

function hintAtPath(log: Log, path: string): void {
  if (path.startsWith('/v2/v2/'))
    log.hint('base url', 'received a request for /v2/v2/…: the base URL of a client should end before /v2')
}

export function hintAtSymbol(log: Log, world: World | undefined, symbol: string): void {
  // A world that restarts has no market.
  if (!world?.status.isUp || hasId(world.market.assets(), symbol)) return
  if (!symbol.startsWith(MAGIC_SYMBOL)) world.clients.unknownSymbols.note(symbol.slice(0, SYMBOL_CHARACTERS))
  const near = nearest(symbol.slice(0, SYMBOL_CHARACTERS), [...world.market.assets().keys()])
  const advice = near === undefined ? 'GET /v2/assets lists the symbols' : `did you mean ${near}?`
  log.hint('unknown symbol', `unknown symbol "${symbol.slice(0, SYMBOL_CHARACTERS)}"; ${advice}`)
}

const TLS_HANDSHAKE = 0x16

/** A TLS handshake on the http port means that the client uses https. */
export function hintAtBytes(log: Log, packet: Buffer | undefined): void {
  if (packet?.[0] === TLS_HANDSHAKE)
    log.hint('https on http', 'received https on the http port: use an address that begins with http://')
}

import { hash } from 'node:crypto'
import { pairsOf } from './headers.ts'
import type { Traffic } from './traffic.ts'

/** A key and its secret. */
export type GatewayKeyPair = { readonly keyId: string; readonly secretKey: string }

/** Whether the broker knows a key id. */
export type IsKnown = (keyId: string) => Promise<boolean>

export type WorldKeys = {
  /** The key of the first account of the world. */
  readonly account: GatewayKeyPair
  /** The key for the Broker API. Only of a broker that belongs to the run. */
  readonly partner?: GatewayKeyPair | undefined
}

const KEY_ID = 'apca-api-key-id'
const SECRET_KEY = 'apca-api-secret-key'

/**
 * Replaces keys that the broker does not know, such as a key that is written into the program, by a key of the world.
 * Such keys are neither stored nor logged: the cache has only their hash.
 */
export class GatewayKeys {
  readonly #world: WorldKeys
  readonly #isKnown: IsKnown
  readonly #traffic: Traffic
  readonly #known = new Map<string, Promise<boolean>>()

  constructor(world: WorldKeys, isKnown: IsKnown, traffic: Traffic) {
    this.#world = world
    this.#isKnown = isKnown
    this.#traffic = traffic
  }

  /** The raw headers of a request with a key that the broker knows. */
  async inHeaders(raw: readonly string[], host: string, path = ''): Promise<readonly string[]> {
    const pair = pairIn(raw)
    if (pair === undefined) return needsNoKey(raw, path) ? [...raw, ...headersOf(this.#world.account)] : raw
    const replaced = await this.#replacement(pair, host)
    return replaced ? withPair(raw, replaced) : raw
  }

  /** The login message of a stream with a key that the broker knows; undefined if the message needs no change. */
  async inMessage(message: unknown): Promise<unknown> {
    const login = loginOf(message)
    const replaced = login && (await this.#replacement(login.pair, ''))
    return replaced ? login.with(replaced) : undefined
  }

  async #replacement(pair: GatewayKeyPair, host: string): Promise<GatewayKeyPair | undefined> {
    const { account, partner } = this.#world
    if (pair.keyId === account.keyId || pair.keyId === partner?.keyId) return undefined
    const digest = hash('sha256', pair.keyId)
    let known = this.#known.get(digest)
    if (known === undefined) {
      known = this.#isKnown(pair.keyId)
      this.#known.set(digest, known)
      // The next request asks again.
      known.catch(() => this.#known.delete(digest))
    }
    if (await known) return undefined
    this.#traffic.keysReplaced = true
    return host.startsWith('broker-api.') ? (partner ?? account) : account
  }
}

/** Prices of coins are public. Without a key the broker would return those of `main`. */
const needsNoKey = (raw: readonly string[], path: string): boolean =>
  path.startsWith('/v1beta3/crypto/') && headerOf(raw, 'authorization') === undefined

const headersOf = ({ keyId, secretKey }: GatewayKeyPair): readonly string[] => [
  'APCA-API-KEY-ID',
  keyId,
  'APCA-API-SECRET-KEY',
  secretKey,
]

function pairIn(raw: readonly string[]): GatewayKeyPair | undefined {
  const keyId = headerOf(raw, KEY_ID)
  if (keyId !== undefined) return { keyId, secretKey: headerOf(raw, SECRET_KEY) ?? '' }
  const [, basic] = /^basic +([a-z0-9+/=_-]+)$/i.exec(headerOf(raw, 'authorization') ?? '') ?? []
  if (basic === undefined) return undefined
  const text = Buffer.from(basic, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  return colon < 0 ? undefined : { keyId: text.slice(0, colon), secretKey: text.slice(colon + 1) }
}

function withPair(raw: readonly string[], { keyId, secretKey }: GatewayKeyPair): readonly string[] {
  const isBasic = headerOf(raw, KEY_ID) === undefined
  const basic = `Basic ${Buffer.from(`${keyId}:${secretKey}`).toString('base64')}`
  const kept = pairsOf(raw).filter(
    ([name]) => ![KEY_ID, SECRET_KEY, ...(isBasic ? ['authorization'] : [])].includes(name.toLowerCase()),
  )
  const added = isBasic ? ['Authorization', basic] : headersOf({ keyId, secretKey })
  return [...kept.flat(), ...added]
}

const headerOf = (raw: readonly string[], wanted: string): string | undefined =>
  pairsOf(raw).find(([name]) => name.toLowerCase() === wanted)?.[1]

type Login = { readonly pair: GatewayKeyPair; readonly with: (pair: GatewayKeyPair) => unknown }

/** Both login messages of the protocol: `auth` with key and secret, `authenticate` with key_id and secret_key in data. */
function loginOf(message: unknown): Login | undefined {
  if (!isRecord(message) || (message['action'] !== 'auth' && message['action'] !== 'authenticate'))
    return undefined
  const { data } = message
  const inner = isRecord(data) ? fieldsOf(data) : undefined
  if (inner) return { pair: inner.pair, with: (pair) => ({ ...message, data: inner.with(pair) }) }
  return fieldsOf(message)
}

/** The key of a record, under one of its two pairs of names. */
function fieldsOf(record: Readonly<Record<string, unknown>>): Login | undefined {
  for (const [key, secret] of [
    ['key', 'secret'],
    ['key_id', 'secret_key'],
  ] as const) {
    const [keyId, secretKey] = [record[key], record[secret]]
    if (typeof keyId === 'string' && typeof secretKey === 'string')
      return {
        pair: { keyId, secretKey },
        with: (pair) => ({ ...record, [key]: pair.keyId, [secret]: pair.secretKey }),
      }
  }
  return undefined
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

import assert from 'node:assert/strict'
import { ApiError, createClient, createQuipu } from '@quipu/sdk'
import { newWorld } from '../../support/broker.ts'
import { broker } from '../../support/shared-broker.ts'

export const UNKNOWN_ID = '0d5f2b0e-6a0b-4c53-9c57-2f1a0a3c9b11'

/** The issuer of tests refuses it. */
export const REFUSED_WALLET = '0x000000000000000000000000000000000000dEaD'

export const mintRequest = {
  underlying_symbol: 'AAPL',
  qty: '1.5',
  issuer: 'xstocks',
  network: 'ethereum',
  wallet_address: '0x52908400098527886E0F7030069857D2E4169EE7',
} as const

/** An account in a world whose clock the test moves, as a program with the SDK has it. */
export async function client(settings: Readonly<Record<string, unknown>> = {}) {
  const world = await newWorld(broker, settings)
  const { url, keyId, secretKey, partner, created } = world
  const { client_id, client_secret, redirect_uri } = created.oauth_client
  return {
    ...world,
    quipu: createQuipu({ url, keyId, secretKey, retryDelayMs: 1 }),
    partnerClient: createClient({ ...partner, retryDelayMs: 1 }),
    app: { client_id, client_secret, redirect_uri } as const satisfies Record<string, string>,
  }
}

/** The same with ten shares to mint tokens from. */
export async function participant() {
  const made = await client()
  await made.quipu.orders.market({ symbol: 'AAPL', qty: 10, side: 'buy' })
  await made.advance('1m')
  return made
}

/** Expects an API error with this status, and that it has what a program needs to report it. */
export async function assertRefused(
  call: Promise<unknown>,
  status: number,
  message?: RegExp,
): Promise<ApiError> {
  const error = await call.then(
    () => assert.fail(`expected a status ${status}`),
    (error: unknown) => error,
  )
  assert.ok(error instanceof ApiError, String(error))
  assert.equal(error.status, status, error.message)
  assert.match(error.requestId ?? '', /^[0-9a-f]{32}$/)
  if (message) assert.match(error.message, message)
  return error
}

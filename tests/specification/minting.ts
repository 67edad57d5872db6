import assert from 'node:assert/strict'
import { type Body, call } from '../support/broker.ts'
import { type Answer, type Caller, marketBuy, newWorld, placeOrder, type World } from './stage.ts'

export const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7'
/** The burn address, which the issuer refuses. */
export const REFUSED_WALLET = '0x000000000000000000000000000000000000dEaD'

export const mintRequest = {
  underlying_symbol: 'AAPL',
  qty: '1.5',
  issuer: 'xstocks',
  network: 'ethereum',
  wallet_address: WALLET,
}

/** A world with an account that may mint and holds ten shares each of AAPL and KO. */
export async function participant(settings?: Readonly<Record<string, unknown>>): Promise<World> {
  const world = await newWorld(settings)
  for (const symbol of ['AAPL', 'KO']) await placeOrder(world, { ...marketBuy, symbol, qty: '10' })
  return world
}

export const postMint = (caller: Caller, patch: object = {}, idempotencyKey?: string): Promise<Answer> =>
  call(
    caller,
    'POST',
    '/v2/tokenization/mint',
    { ...mintRequest, ...patch },
    idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey },
  )

/** Mints and asserts that the request is accepted. */
export async function mintShares(caller: Caller, patch: object = {}, idempotencyKey?: string): Promise<Body> {
  const { status, body } = await postMint(caller, patch, idempotencyKey)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

/** All tokenization requests of the account. */
export const requests = async (caller: Caller): Promise<Body[]> =>
  (await call(caller, 'GET', '/v2/tokenization/requests')).body

/** The shares that the account holds. */
export const heldShares = async (caller: Caller, symbol = 'AAPL'): Promise<string> =>
  (await call(caller, 'GET', `/v2/positions/${symbol}`)).body.qty

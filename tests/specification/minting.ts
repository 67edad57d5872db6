import assert from 'node:assert/strict'
import { type Body, call } from '../broker.ts'
import { type Answer, type Caller, marketBuy, placed, type World, world } from './stage.ts'

export const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7'
/** Tokens are burned there; it is nobody's, and so the issuer refuses it. */
export const NOBODYS_WALLET = '0x000000000000000000000000000000000000dEaD'

export const mintRequest = {
  underlying_symbol: 'AAPL',
  qty: '1.5',
  issuer: 'xstocks',
  network: 'ethereum',
  wallet_address: WALLET,
}

/** A world whose account, an authorized participant, holds ten shares of AAPL and of KO. */
export async function participant(settings?: Readonly<Record<string, unknown>>): Promise<World> {
  const own = await world(settings)
  for (const symbol of ['AAPL', 'KO']) await placed(own, { ...marketBuy, symbol, qty: '10' })
  return own
}

export const mint = (who: Caller, patch: object = {}, idempotencyKey?: string): Promise<Answer> =>
  call(
    who,
    'POST',
    '/v2/tokenization/mint',
    { ...mintRequest, ...patch },
    idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey },
  )

/** A mint that must be taken. */
export async function minted(who: Caller, patch: object = {}, idempotencyKey?: string): Promise<Body> {
  const { status, body } = await mint(who, patch, idempotencyKey)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

/** Every request of the account. */
export const requests = async (who: Caller): Promise<Body[]> =>
  (await call(who, 'GET', '/v2/tokenization/requests')).body

/** How many shares the account has left. */
export const held = async (who: Caller, symbol = 'AAPL'): Promise<string> =>
  (await call(who, 'GET', `/v2/positions/${symbol}`)).body.qty

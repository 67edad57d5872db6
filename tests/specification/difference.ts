import assert from 'node:assert/strict'
import { type Body, callAsOperator } from '../support/broker.ts'
import { broker, type World } from './stage.ts'

export const control = (method: string, path: string, body?: object) =>
  callAsOperator(broker, method, `/sim/v1/worlds/${path}`, body)
export const difference = (world: string, query: Readonly<Record<string, string>>) =>
  control('GET', `${world}/difference?${new URLSearchParams(query)}`)
export async function compared(one: Key, other: Key, query = {}): Promise<Body> {
  const { status, body } = await difference(one.world, { against: other.world, ...query })
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

export type Key = Pick<World, 'world' | 'url' | 'keyId' | 'secretKey' | 'accountId'>

export async function fork(of: Key, body: object = {}): Promise<Key> {
  const { status, body: created } = await control('POST', `${of.world}/fork`, body)
  assert.equal(status, 201, JSON.stringify(created))
  const [{ key_id: keyId, secret_key: secretKey, account_id: accountId }] = created.accounts
  return { world: created.world, url: broker.url, keyId, secretKey, accountId }
}
export const advance = (to: Key, body: object) => control('POST', `${to.world}/clock/advance`, body)
export const order = (symbol: string, side: string, qty: string, id: string, more: object = {}) => ({
  ...{ symbol, side, qty, type: 'market', time_in_force: 'gtc', client_order_id: id },
  ...more,
})
export const limit = (price: string) => ({ type: 'limit', limit_price: price })
export const equityOf = async ({ world, accountId }: Key) =>
  (await control('GET', `${world}/accounts/${accountId}/snapshot`)).body.account.equity

const billionths = (text: string): bigint => {
  const [whole = '', part = ''] = text.replace('-', '').split('.')
  const size = BigInt(whole + part.padEnd(9, '0'))
  return text.startsWith('-') ? -size : size
}

export function assertAddsUp({ rows, rest, equity_change, world, against }: Body): void {
  const parts = [...rows, rest].map((one: Body) => billionths(one.equity_change))
  const sum = parts.reduce((total, part) => total + part, 0n)
  assert.equal(sum, billionths(equity_change))
  assert.equal(billionths(against.equity) - billionths(world.equity), sum)
}

import assert from 'node:assert/strict'
import { type Body, type Broker, callAsOperator, type Started } from '../support/broker.ts'

const headersOf = ({ brokerKey, brokerSecret }: Started) => ({
  'APCA-API-KEY-ID': brokerKey,
  'APCA-API-SECRET-KEY': brokerSecret,
})

/** The bytes of a saved world. */
export async function save(broker: Broker, world: string, query = ''): Promise<Buffer> {
  const response = await fetch(`${broker.url}/sim/v1/worlds/${world}/save${query}`, {
    headers: headersOf(broker),
  })
  const bytes = Buffer.from(await response.arrayBuffer())
  assert.equal(response.status, 200, bytes.toString())
  return bytes
}

/** Sends a file to be loaded. */
export async function load(
  broker: Broker,
  file: Uint8Array,
  query = '',
): Promise<{ readonly status: number; readonly body: Body }> {
  const url = `${broker.url}/sim/v1/worlds/load${query}`
  const response = await fetch(url, {
    method: 'POST',
    headers: headersOf(broker),
    body: new Uint8Array(file),
  })
  return { status: response.status, body: await response.json() }
}

/** Loads a file and asserts that it is accepted. */
export async function loaded(broker: Broker, file: Uint8Array, query = ''): Promise<Body> {
  const { status, body } = await load(broker, file, query)
  assert.equal(status, 201, JSON.stringify(body))
  return body
}

export const headOf = async (broker: Broker, world: string): Promise<Body> =>
  (await callAsOperator(broker, 'GET', `/sim/v1/worlds/${world}/journal`)).body

export const sim = (broker: Broker, method: string, path: string, body?: object) =>
  callAsOperator(broker, method, `/sim/v1/worlds${path && `/${path}`}`, body)

/** The first account of a created world, as a caller. */
export const callerOf = (broker: Broker, { accounts }: Body) => ({
  url: broker.url,
  keyId: accounts[0].key_id as string,
  secretKey: accounts[0].secret_key as string,
})

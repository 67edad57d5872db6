import assert from 'node:assert/strict'
import { type Body, call, callAsOperator, type newWorld, type Started } from '../support/broker.ts'
import { waitUntil } from '../support/wait-until.ts'

type World = Awaited<ReturnType<typeof newWorld>>
type Request = readonly [method: string, path: string, body?: object]

const bars =
  '/v2/stocks/bars?symbols=AAPL&timeframe=1Hour&start=2026-01-02T14:00:00Z&end=2026-01-02T21:00:00Z'

/** The market of a world, as its operator and its customers see it. */
export async function marketOf(server: Pick<Started, 'url'> & Started, world: World): Promise<Body> {
  const at = { ...world, url: server.url }
  const lists = ['market-events', 'corporate-actions'].map(async (list) => {
    const { body } = await callAsOperator(server, 'GET', `/sim/v1/worlds/${world.world}/${list}`)
    return body.map(({ status: _, applied_at: _at, ...record }: Body) => record)
  })
  const assets = (await call(at, 'GET', '/v2/assets?status=active')).body
  const names = assets.map(({ symbol }: Body) => symbol).sort()
  const [events, actions] = await Promise.all(lists)
  return { events, actions, names, bars: (await call(at, 'GET', bars)).body.bars }
}

/** Changes of a market, one of each kind; `day` is a later trading day of the world. */
export const changesOn = (day: string): readonly Request[] => [
  ['POST', 'assets', { symbol: 'ZZSOFI', price: '12' }],
  [
    'POST',
    'market-events',
    { kind: 'halt', symbol: 'AAPL', from: `${day}T15:00:00Z`, to: `${day}T15:05:00Z` },
  ],
  ['POST', 'market-events', { kind: 'gap', symbol: 'KO', on: day, percent: '5' }],
  ['DELETE', 'market-events/1'],
  ['POST', 'corporate-actions', { type: 'cash_dividend', symbol: 'KO', ex_date: day, rate: '0.5' }],
  [
    'POST',
    'corporate-actions',
    { type: 'forward_split', symbol: 'AAPL', ex_date: day, new_rate: '2', old_rate: '1' },
  ],
  ['POST', 'assets', { symbol: 'ZZRIVN' }],
]

/** Changes the market of a world, and returns the body of the response. */
export async function change(server: Started, world: string, [method, path, body]: Request): Promise<Body> {
  const response = await callAsOperator(server, method, `/sim/v1/worlds/${world}/${path}`, body)
  assert.ok(response.status < 300, JSON.stringify(response.body))
  return response.body
}

/** Waits until two worlds have the same market. */
export const untilSame = (server: Started, one: World, other: World): Promise<unknown> =>
  waitUntil(`${one.world} and ${other.world} have the same market`, async () => {
    const [first, second] = [await marketOf(server, one), await marketOf(server, other)]
    return JSON.stringify(first) === JSON.stringify(second)
  })

/** The kinds of market changes in a world's journal, in order. */
export async function changeKinds(server: Started, world: string): Promise<readonly string[]> {
  const kinds = /^(symbolAdded|marketEvent|action(Scheduled|Canceled))/
  const { status, body } = await callAsOperator(server, 'GET', `/sim/v1/worlds/${world}/events?limit=1000`)
  assert.equal(status, 200, JSON.stringify(body))
  const all: readonly Body[] = body.events ?? body
  return all
    .map(({ kind, seq }) => ({ kind: String(kind), seq: Number(seq) }))
    .sort((one, other) => one.seq - other.seq)
    .flatMap(({ kind }) => (kinds.test(kind) ? [kind] : []))
}

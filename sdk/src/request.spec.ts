import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AnyShape, type Operation, operations, type Problem, type Schema } from '@quipu/contract'
import { type OperationName, routes } from './contract.ts'
import type { Client } from './index.ts'
import { prepare, type RequestParts } from './request.ts'

/** 22:00 in New York on the day before the one of UTC. */
const evening = new Date('2026-01-06T03:00:00.000Z')

const sentQuery = (name: OperationName, query: RequestParts['query']) =>
  new URL(prepare(routes[name], { params: { loc: 'us' }, ...(query && { query }) }).path, 'http://a')
    .searchParams

const sentBody = (name: OperationName, body: object) =>
  JSON.parse(String(prepare(routes[name], { params: { world: 'w' }, body }).body))

test('a Date is its day in New York in fields without a time, also in summer', () => {
  const query = sentQuery('getCalendar', { start: evening, end: new Date('2026-07-02T03:59:59Z') })
  assert.deepEqual([query.get('start'), query.get('end')], ['2026-01-05', '2026-07-01'])
  const history = sentQuery('getPortfolioHistory', { date_start: evening, end: evening })
  assert.deepEqual([history.get('date_start'), history.get('end')], ['2026-01-05', evening.toISOString()])
  assert.equal(sentQuery('stockBars', { symbols: 'AAPL', asof: evening }).get('asof'), '2026-01-05')
})

test('a Date in a body is a day or an instant, as its field', () => {
  assert.deepEqual(sentBody('createCorporateAction', { ex_date: evening, payable_date: '2026-01-31' }), {
    ex_date: '2026-01-05',
    payable_date: '2026-01-31',
  })
  const world = {
    start: evening,
    market_events: [
      { kind: 'gap', on: evening },
      { kind: 'halt', from: evening },
    ],
    fees: [{ from: evening }],
  }
  assert.deepEqual(sentBody('createWorld', world), {
    start: evening.toISOString(),
    market_events: [
      { kind: 'gap', on: '2026-01-05' },
      { kind: 'halt', from: evening.toISOString() },
    ],
    fees: [{ from: '2026-01-05' }],
  })
})

test('text stays as it is, and an invalid Date is an error', () => {
  assert.equal(sentQuery('getCalendar', { start: '2026-01-05' }).get('start'), '2026-01-05')
  assert.throws(() => sentQuery('getCalendar', { start: new Date(Number.NaN) }), RangeError)
})

const isTime = ({ format, anyOf = [] }: Schema): boolean =>
  format === 'date' || format === 'date-time' || anyOf.some(isTime)

/** The fields of a part that are times. */
const times = (part: Operation['query'] | Operation['body']): readonly (readonly [string, AnyShape])[] => {
  const fields = part && 'fields' in part ? (part.fields as Readonly<Record<string, AnyShape>>) : {}
  return Object.entries(fields).filter(([, shape]) => isTime(shape.json()))
}

test('the server accepts a Date in every field that is a time', () => {
  let count = 0
  for (const [name, { query, body }] of Object.entries<Operation>(operations)) {
    const names = [...routes[name as OperationName].path.matchAll(/\{(\w+)/g)]
    const params = Object.fromEntries(names.map(([, key]) => [key, 'x']))
    for (const [part, fields] of [
      ['query', times(query)],
      ['body', times(body)],
    ] as const)
      for (const [field, shape] of fields) {
        count += 1
        const prepared = prepare(routes[name as OperationName], { params, [part]: { [field]: evening } })
        const sent =
          part === 'query'
            ? new URL(prepared.path, 'http://a').searchParams.get(field)
            : JSON.parse(String(prepared.body))[field]
        const problems: Problem[] = []
        shape.parse(sent, field, problems)
        assert.deepEqual(problems, [], `${name}: ${field}`)
      }
  }
  assert.ok(count > 60, `${count} fields`)
})

/** The compiler checks that a Date is accepted. It is not run. */
export const withDates = (client: Client, at: Date): readonly Promise<unknown>[] => [
  client.getCalendar({ query: { start: at, end: at } }),
  client.getMarketCalendar({ params: { market: 'NYSE' }, query: { start: at } }),
  client.getMarketClocks({ query: { time: at } }),
  client.corporateActions({ query: { symbols: 'AAPL', start: at, end: at } }),
  client.listAnnouncements({ query: { ca_types: ['dividend'], since: at, until: at } }),
  client.listActivities({ query: { date: at, after: at, until: at } }),
  client.getPortfolioHistory({ query: { start: at, end: at, date_start: at, date_end: at } }),
  client.listOptionContracts({ query: { expiration_date_gte: at } }),
  client.stockBars({ query: { symbols: ['AAPL'], timeframe: '1Day', start: at, end: at, asof: at } }),
  client.createMarketEvent({ params: { world: 'w' }, body: { kind: 'gap', on: at, at } }),
  client.createCorporateAction({
    params: { world: 'w' },
    body: { type: 'cash_dividend', symbol: 'AAPL', ex_date: at, record_date: at, payable_date: at },
  }),
  client.createWorld({ body: { start: at, fees: [{ from: at }] } }),
  client.eraseAddresses({ body: { before: at } }),
  // @ts-expect-error a day is a text or a date
  client.getCalendar({ query: { start: 20260105 } }),
]

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { simulatedChain } from '@quipu/broker/chain/simulated.ts'
import { builtinIssuer, setUpIssuers } from '@quipu/broker/issuer/builtin.ts'
import { makeRunJob } from '@quipu/broker/world/jobs.ts'
import { buy, decided } from '@quipu/broker/world/testing/world.ts'
import type { AccountId, Instant, IssuerCode } from '@quipu/core'
import { type ClientOptions, type EventData, ids, Reader } from '../../testing/events.ts'
import { call, openTestServer, type TestServer } from '../../testing/server.ts'
import { tokenizationHandlers } from '../../tokenization/tokenization.ts'
import { accountEventHandlers } from '../events.ts'

const TOKENS = '/v2/events/tokenization'
const chain = simulatedChain()

let server: TestServer
before(async () => {
  server = await openTestServer({
    handlers: { ...accountEventHandlers, ...tokenizationHandlers({ chain }) },
    runJob: makeRunJob({ chain, issuer: builtinIssuer(chain) }),
    limits: { eventStreamsMax: 20 },
  })
  const { world, accountId, clock } = server
  const [partnerId] = world.view.partners.keys()
  await setUpIssuers(world, { partnerId: partnerId!, link: [accountId] })
  assert.ok((await decided(world, buy(world.view.accounts.get(accountId)!, 'AAPL', '20'))).ok)
  await clock.advance((clock.now() + 1_000_000_000n) as Instant)
})
after(() => server.close())

const mine = (): ClientOptions => ({ url: server.url, ...server.key })
const asPartner = (): ClientOptions => ({ url: server.url, ...server.partnerKey })
const issuerAccount = (): AccountId => server.world.view.issuers.get('xstocks' as IssuerCode)!.accountId
const issuerEvents = (): string => `/v1/events/tokenization?account_id=${issuerAccount()}`

async function mint(wallet = '0x52908400098527886e0f7030069857d2e4169ee7'): Promise<string> {
  const { status, body } = await call(server, 'POST /v2/tokenization/mint', {
    key: server.key,
    body: {
      underlying_symbol: 'AAPL',
      qty: '1.50',
      issuer: 'xstocks',
      network: 'base',
      wallet_address: wallet,
    },
  })
  assert.equal(status, 200, JSON.stringify(body))
  await server.world.commands.quiet()
  await server.clock.advance((server.clock.now() + 1_000_000_000n) as Instant)
  return body.tokenization_request_id
}

async function openReader(path: string, options: ClientOptions): Promise<Reader> {
  const reader = new Reader(path, options)
  while (reader.status === 0) await sleep(5)
  return reader
}

test('a mint sends an event at its request and at its end, with the record that GET returns', async () => {
  const reader = await openReader(TOKENS, mine())
  const id = await mint()
  const [requested, ended] = (await reader.waitFor(2)) as [EventData, EventData]
  assert.deepEqual(
    [requested, ended].map(({ tokenization_request_id: requestId, status }) => [requestId, status]),
    [
      [id, 'pending'],
      [id, 'completed'],
    ],
  )
  const { body } = await call(server, `GET /v2/tokenization/requests/${id}`, { key: server.key })
  const { event_id: eventId, at, ...request } = ended
  assert.deepEqual(request, body)
  assert.equal(at, body.updated_at)
  assert.match(eventId, /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/)
  assert.deepEqual([requested.at, requested.tx_hash], [body.created_at, null])
  reader.leave()
})

test('past events come first, each once, the same as when they were new; an id selects the start', async () => {
  const first = await openReader(TOKENS, mine())
  for (let count = 0; count < 5; count++) await mint()
  const events = [...(await first.waitFor(10))]
  first.leave()
  const second = new Reader(`${TOKENS}?since=${events[0].at}`, mine())
  assert.deepEqual(await second.waitFor(10), events)
  await mint()
  assert.deepEqual((await second.waitFor(12)).slice(0, 10), events)
  assert.deepEqual(ids(second.events), [...new Set(ids(second.events))].sort())
  second.leave()
  const part = new Reader(`${TOKENS}?since_id=${events[3].event_id}&until_id=${events[7].event_id}`, mine())
  assert.equal(await part.outcome, 'ended')
  assert.deepEqual(part.events, events.slice(4, 8))
})

test('the issuer receives the same events with its own request id', async () => {
  const reader = await openReader(issuerEvents(), asPartner())
  const id = await mint()
  const events = await reader.waitFor(2)
  assert.deepEqual(
    events.map(({ tokenization_request_id: requestId, status }) => [requestId, status]),
    [
      [id, 'pending'],
      [id, 'completed'],
    ],
  )
  assert.equal(events[0].issuer_request_id, null)
  assert.equal(typeof events[1].issuer_request_id, 'string')
  assert.equal(events[1].client_account_id, server.accountId)
  reader.leave()
})

test('a rejection sends an event, and internal steps send none', async () => {
  await decided(server.world, {
    kind: 'setBehaviour',
    issuer: 'xstocks' as IssuerCode,
    behaviour: { delayNs: 0n, outcome: 'rejectLate', wallets: new Map() },
  })
  const [reader, issuer] = [await openReader(TOKENS, mine()), await openReader(issuerEvents(), asPartner())]
  const id = await mint()
  for (const side of [reader, issuer]) {
    const events = await side.waitFor(2)
    assert.deepEqual(
      events.map(({ tokenization_request_id: requestId, status }) => [requestId, status]),
      [
        [id, 'pending'],
        [id, 'rejected'],
      ],
    )
    side.leave()
  }
})

const refusals: readonly [title: string, path: () => string, client: () => ClientOptions, status: number][] =
  [
    ['no ULID', () => `${TOKENS}?since_id=7`, mine, 422],
    ['two beginnings', () => `${TOKENS}?since=2026-01-01&since_id=01JBQ5V7WD000000000000001A`, mine, 422],
    ['a partner on the trading path', () => TOKENS, asPartner, 403],
    ["an account on the partners' path", issuerEvents, mine, 403],
    ['no account named', () => '/v1/events/tokenization', asPartner, 422],
    [
      'an unknown account',
      () => '/v1/events/tokenization?account_id=00000000-0000-4000-8000-000000000000',
      asPartner,
      403,
    ],
    ['a wrong secret', () => TOKENS, () => ({ ...mine(), secretKey: 'wrong' }), 401],
  ]
for (const [title, path, client, status] of refusals)
  test(`${title} is refused with ${status}`, async () => {
    const reader = new Reader(path(), client())
    assert.equal(await reader.outcome, 'refused')
    assert.equal(reader.status, status, JSON.stringify(reader.body))
  })

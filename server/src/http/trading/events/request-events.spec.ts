import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AccountId, Instant, IssuerCode } from '@quipu/core'
import { simulatedChain } from '../../../chain/simulated.ts'
import { builtinIssuer } from '../../../issuer/builtin.ts'
import { setUpIssuers } from '../../../issuer/set-up.ts'
import { makeRunJob } from '../../../world/jobs.ts'
import { buy, decided } from '../../../world/testing/world.ts'
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
  await server.world.quiet()
  await server.clock.advance((server.clock.now() + 1_000_000_000n) as Instant)
  return body.tokenization_request_id
}

async function listening(path: string, place: ClientOptions): Promise<Reader> {
  const reader = new Reader(path, place)
  while (reader.status === 0) await sleep(5)
  return reader
}

test('a mint is told when it is asked for and when it ends, as it is read then', async () => {
  const reader = await listening(TOKENS, mine())
  const id = await mint()
  const [asked, ended] = (await reader.until(2)) as [EventData, EventData]
  assert.deepEqual(
    [asked, ended].map(({ tokenization_request_id: whose, status }) => [whose, status]),
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
  assert.deepEqual([asked.at, asked.tx_hash], [body.created_at, null])
  reader.leave()
})

test('history comes first, as it was told live, each once, and an id says where to go on', async () => {
  const live = await listening(TOKENS, mine())
  for (let count = 0; count < 5; count++) await mint()
  const told = [...(await live.until(10))]
  live.leave()
  const again = new Reader(`${TOKENS}?since=${told[0].at}`, mine())
  assert.deepEqual(await again.until(10), told)
  await mint()
  assert.deepEqual((await again.until(12)).slice(0, 10), told)
  assert.deepEqual(ids(again.told), [...new Set(ids(again.told))].sort())
  again.leave()
  const part = new Reader(`${TOKENS}?since_id=${told[3].event_id}&until_id=${told[7].event_id}`, mine())
  assert.equal(await part.over, 'ended')
  assert.deepEqual(part.told, told.slice(4, 8))
})

test('the issuer is told of the same, with its own id for it', async () => {
  const reader = await listening(issuerEvents(), asPartner())
  const id = await mint()
  const told = await reader.until(2)
  assert.deepEqual(
    told.map(({ tokenization_request_id: whose, status }) => [whose, status]),
    [
      [id, 'pending'],
      [id, 'completed'],
    ],
  )
  assert.equal(told[0].issuer_request_id, null)
  assert.equal(typeof told[1].issuer_request_id, 'string')
  assert.equal(told[1].client_account_id, server.accountId)
  reader.leave()
})

test('a rejection is told, and nothing of what happened in between', async () => {
  await decided(server.world, {
    kind: 'setBehaviour',
    issuer: 'xstocks' as IssuerCode,
    behaviour: { delayNs: 0n, outcome: 'rejectLate', wallets: new Map() },
  })
  const [reader, issuer] = [await listening(TOKENS, mine()), await listening(issuerEvents(), asPartner())]
  const id = await mint()
  for (const side of [reader, issuer]) {
    const told = await side.until(2)
    assert.deepEqual(
      told.map(({ tokenization_request_id: whose, status }) => [whose, status]),
      [
        [id, 'pending'],
        [id, 'rejected'],
      ],
    )
    side.leave()
  }
})

const refusals: readonly [what: string, path: () => string, place: () => ClientOptions, status: number][] = [
  ['no ULID', () => `${TOKENS}?since_id=7`, mine, 422],
  ['two beginnings', () => `${TOKENS}?since=2026-01-01&since_id=01JBQ5V7WD000000000000001A`, mine, 422],
  ['a partner on the trading path', () => TOKENS, asPartner, 403],
  ["an account on the partners' path", issuerEvents, mine, 403],
  ['no account named', () => '/v1/events/tokenization', asPartner, 422],
  [
    'an account that nobody has',
    () => '/v1/events/tokenization?account_id=00000000-0000-4000-8000-000000000000',
    asPartner,
    403,
  ],
  ['a wrong secret', () => TOKENS, () => ({ ...mine(), secretKey: 'wrong' }), 401],
]
for (const [what, path, place, status] of refusals)
  test(`${what} is refused with ${status}`, async () => {
    const reader = new Reader(path(), place())
    assert.equal(await reader.over, 'refused')
    assert.equal(reader.status, status, JSON.stringify(reader.body))
  })

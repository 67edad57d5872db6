import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Body } from '../support/broker.ts'
import { mintShares, participant, postMint, REFUSED_WALLET, requests } from './minting.ts'
import { assertRefused, get } from './stage.ts'

// Numbered in the order of creation, a second apart; request 3 was rejected.
const world = await participant()
for (const patch of [
  {},
  { underlying_symbol: 'KO', issuer: 'st0x' },
  { network: 'solana' },
  { wallet_address: REFUSED_WALLET },
  { underlying_symbol: 'KO', network: 'base' },
]) {
  if (patch.wallet_address === REFUSED_WALLET) assert.equal((await postMint(world, patch)).status, 400)
  else await mintShares(world, patch)
  await world.advance('1s')
}
const created: Body[] = (await requests(world)).reverse()
const ids = created.map(({ tokenization_request_id: id }) => id)
const at = (number: number): string => created[number].created_at
/** The time of a request, moved by nanoseconds. */
const near = (number: number, nanos: number): string =>
  at(number).replace(/\.(\d+)Z$/, (_, digits: string) => {
    const moved = String(Number(digits.padEnd(9, '0')) + nanos).padStart(9, '0')
    return `.${moved}Z`
  })
/** The same time with the offset of Kathmandu. */
const inKathmandu = (number: number): string => {
  const [, date, clock, fraction] = /^(.{10})T(.{8})(\.\d+)?Z$/.exec(at(number))!
  const moved = new Date(Date.parse(`${date}T${clock}Z`) + 345 * 60_000).toISOString().slice(0, 19)
  return encodeURIComponent(`${moved}${fraction ?? ''}+05:45`)
}

for (const [title, query, expected] of [
  ['no query: all, newest first', '', [4, 3, 2, 1, 0]],
  ['type mint', 'type=mint', [4, 3, 2, 1, 0]],
  ['type redeem', 'type=redeem', []],
  ['status completed', 'status=completed', [4, 2, 1, 0]],
  ['status rejected', 'status=rejected', [3]],
  ['status pending', 'status=pending', []],
  ['underlying_symbol', 'underlying_symbol=KO', [4, 1]],
  ['underlyingSymbol', 'underlyingSymbol=KO', [4, 1]],
  ['an underlying without requests', 'underlying_symbol=MSFT', []],
  ['issuer', 'issuer=st0x', [1]],
  ['an issuer without requests', 'issuer=ondo', []],
  ['network', 'network=ethereum', [3, 1, 0]],
  ['a network without requests', 'network=ton', []],
  ['several filters at once', 'type=mint&status=completed&underlying_symbol=KO&network=base', [4]],
  ['after a request (excluded)', `after=${at(1)}`, [4, 3, 2]],
  ['after the nanosecond before it', `after=${near(1, -1)}`, [4, 3, 2, 1]],
  ['before a request (excluded)', `before=${at(3)}`, [2, 1, 0]],
  ['before the nanosecond after it', `before=${near(3, 1)}`, [3, 2, 1, 0]],
  ['between two times', `after=${at(0)}&before=${at(4)}`, [3, 2, 1]],
  ['after, with another offset', `after=${inKathmandu(1)}`, [4, 3, 2]],
  ['before, with another offset', `before=${inKathmandu(3)}`, [2, 1, 0]],
  ['an unknown parameter', 'colour=blue', [4, 3, 2, 1, 0]],
] as const)
  test(`getTokenizationRequests, ${title}`, async () => {
    const { status, body } = await get(world, `/v2/tokenization/requests?${query}`)
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual(
      body.map(({ tokenization_request_id: id }: Body) => ids.indexOf(id)),
      expected,
    )
  })

test('times one microsecond apart are distinguished', async () => {
  const fine = await participant()
  const [first, second] = [await mintShares(fine), (await fine.advance('1us')) && (await mintShares(fine))]
  for (const [query, expected] of [
    [`after=${first.created_at}`, [second]],
    [`before=${second.created_at}`, [first]],
  ] as const) {
    const { body } = await get(fine, `/v2/tokenization/requests?${query}`)
    assert.deepEqual(
      body.map(({ tokenization_request_id: id }: Body) => id),
      expected.map(({ tokenization_request_id: id }) => id),
    )
  }
})

test('a list has the current state of each request', async () => {
  for (const request of await requests(world)) {
    const { body } = await get(world, `/v2/tokenization/requests/${request.tokenization_request_id}`)
    assert.deepEqual(body, request)
  }
})

for (const [title, query, message] of [
  ['an unknown type', 'type=burn', 'invalid type'],
  ['an unknown status', 'status=done', 'invalid status'],
  ['an unknown issuer', 'issuer=me', 'invalid issuer'],
  ['an unknown network', 'network=Base', 'invalid network'],
  ['an invalid time', 'after=yesterday', 'failed to parse after'],
  ['a time without an offset', 'before=2026-01-05T15:00:00', 'failed to parse before'],
  ['several errors: all are reported', 'type=burn&after=x', 'invalid type, failed to parse after'],
] as const)
  test(`getTokenizationRequests, ${title}: 422`, async () =>
    assertRefused(await get(world, `/v2/tokenization/requests?${query}`), 422, 42210001, message))

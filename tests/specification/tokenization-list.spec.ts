import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Body } from '../broker.ts'
import { mint, minted, NOBODYS_WALLET, participant, requests } from './minting.ts'
import { assertRefused, get } from './stage.ts'

// Numbered as they were created, a second apart; 3 was rejected.
const own = await participant()
for (const patch of [
  {},
  { underlying_symbol: 'KO', issuer: 'st0x' },
  { network: 'solana' },
  { wallet_address: NOBODYS_WALLET },
  { underlying_symbol: 'KO', network: 'base' },
]) {
  if (patch.wallet_address === NOBODYS_WALLET) assert.equal((await mint(own, patch)).status, 400)
  else await minted(own, patch)
  await own.advance('1s')
}
const created: Body[] = (await requests(own)).reverse()
const ids = created.map(({ tokenization_request_id: id }) => id)
const at = (number: number): string => created[number].created_at
/** The instant of a request, moved by nanoseconds. */
const near = (number: number, nanos: number): string =>
  at(number).replace(/\.(\d+)Z$/, (_, digits: string) => {
    const moved = String(Number(digits.padEnd(9, '0')) + nanos).padStart(9, '0')
    return `.${moved}Z`
  })
/** The same instant as clocks in Kathmandu show it. */
const inKathmandu = (number: number): string => {
  const [, date, clock, fraction] = /^(.{10})T(.{8})(\.\d+)?Z$/.exec(at(number))!
  const moved = new Date(Date.parse(`${date}T${clock}Z`) + 345 * 60_000).toISOString().slice(0, 19)
  return encodeURIComponent(`${moved}${fraction ?? ''}+05:45`)
}

for (const [given, query, then] of [
  ['nothing asked: all, newest first', '', [4, 3, 2, 1, 0]],
  ['type mint', 'type=mint', [4, 3, 2, 1, 0]],
  ['type redeem', 'type=redeem', []],
  ['status completed', 'status=completed', [4, 2, 1, 0]],
  ['status rejected', 'status=rejected', [3]],
  ['status pending', 'status=pending', []],
  ['underlying_symbol', 'underlying_symbol=KO', [4, 1]],
  ['underlyingSymbol', 'underlyingSymbol=KO', [4, 1]],
  ['an underlying nobody minted', 'underlying_symbol=MSFT', []],
  ['issuer', 'issuer=st0x', [1]],
  ['an issuer nobody used', 'issuer=ondo', []],
  ['network', 'network=ethereum', [3, 1, 0]],
  ['a network nobody used', 'network=ton', []],
  ['several filters at once', 'type=mint&status=completed&underlying_symbol=KO&network=base', [4]],
  ['after a request, which is not included', `after=${at(1)}`, [4, 3, 2]],
  ['after the nanosecond before it', `after=${near(1, -1)}`, [4, 3, 2, 1]],
  ['before a request, which is not included', `before=${at(3)}`, [2, 1, 0]],
  ['before the nanosecond after it', `before=${near(3, 1)}`, [3, 2, 1, 0]],
  ['between two', `after=${at(0)}&before=${at(4)}`, [3, 2, 1]],
  ['after, on another clock', `after=${inKathmandu(1)}`, [4, 3, 2]],
  ['before, on another clock', `before=${inKathmandu(3)}`, [2, 1, 0]],
  ['a key nobody knows', 'colour=blue', [4, 3, 2, 1, 0]],
] as const)
  test(`getTokenizationRequests, ${given}`, async () => {
    const { status, body } = await get(own, `/v2/tokenization/requests?${query}`)
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual(
      body.map(({ tokenization_request_id: id }: Body) => ids.indexOf(id)),
      then,
    )
  })

test('instants a microsecond apart are told apart', async () => {
  const fine = await participant()
  const [first, second] = [await minted(fine), (await fine.advance('1us')) && (await minted(fine))]
  for (const [query, then] of [
    [`after=${first.created_at}`, [second]],
    [`before=${second.created_at}`, [first]],
  ] as const) {
    const { body } = await get(fine, `/v2/tokenization/requests?${query}`)
    assert.deepEqual(
      body.map(({ tokenization_request_id: id }: Body) => id),
      then.map(({ tokenization_request_id: id }) => id),
    )
  }
})

test('a list shows requests as they are now, each as it is read alone', async () => {
  for (const request of await requests(own)) {
    const { body } = await get(own, `/v2/tokenization/requests/${request.tokenization_request_id}`)
    assert.deepEqual(body, request)
  }
})

for (const [given, query, message] of [
  ['a type nobody knows', 'type=burn', 'invalid type'],
  ['a status nobody knows', 'status=done', 'invalid status'],
  ['an issuer nobody knows', 'issuer=me', 'invalid issuer'],
  ['a network nobody knows', 'network=Base', 'invalid network'],
  ['an instant that is none', 'after=yesterday', 'failed to parse after'],
  ['an instant without an offset', 'before=2026-01-05T15:00:00', 'failed to parse before'],
  ['several of these: all are told', 'type=burn&after=x', 'invalid type, failed to parse after'],
] as const)
  test(`getTokenizationRequests, ${given}: 422`, async () =>
    assertRefused(await get(own, `/v2/tokenization/requests?${query}`), 422, 42210001, message))

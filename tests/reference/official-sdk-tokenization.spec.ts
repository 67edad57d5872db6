import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { type Alpaca, NotFoundError, ValidationError } from '@alpacahq/alpaca-trade-api'
import { callAsOperator, newWorld } from '../support/broker.ts'
import { broker } from '../support/shared-broker.ts'
import { OfficialSdk } from './official-sdk.ts'

const sdk = new OfficialSdk()
let alpaca: Alpaca
let world: Awaited<ReturnType<typeof newWorld>>

before(async () => {
  world = await newWorld(broker)
  alpaca = sdk.client(world)
  await alpaca.trading.orders.market({ symbol: 'AAPL', qty: 10, side: 'buy' })
})

const mint = {
  underlyingSymbol: 'AAPL',
  qty: '1.5',
  issuer: 'xstocks',
  network: 'solana',
  walletAddress: '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin',
} as const

type Extra = { readonly key?: string; readonly label?: string; readonly qty?: string }

/** The SDK has no parameters for Idempotency-Key and client_request_id, so both are added here. */
const requestMint = ({ key, label, qty = mint.qty }: Extra = {}) =>
  alpaca.trading.tokenization.postTokenizationMint(
    { tokenizationMintRequest: { ...mint, qty } },
    async ({ init }) => ({
      headers: { ...init.headers, ...(key === undefined ? {} : { 'Idempotency-Key': key }) },
      // The SDK encodes the body as JSON.
      body: {
        ...(init.body as object),
        ...(label === undefined ? {} : { client_request_id: label }),
      } as never,
    }),
  )

const held = async () => (await alpaca.trading.positions.getOpenPosition({ symbolOrAssetId: 'AAPL' })).qty

test('a mint is pending, then completed, and the shares leave the account', async () => {
  const { tokenizationRequestId: id, createdAt, ...fields } = await requestMint()
  assert(createdAt instanceof Date)
  assert.deepEqual(fields, {
    issuer: 'xstocks',
    network: 'solana',
    qty: '1.5',
    status: 'pending',
    tokenSymbol: 'AAPLx',
    underlyingSymbol: 'AAPL',
  })
  const done = await waitForCompletion(id!)
  assert.deepEqual([done.type, done.walletAddress, done.qty], ['mint', mint.walletAddress, '1.5'])
  assert(done.txHash && done.updatedAt instanceof Date)
  assert.equal(await held(), '8.5')
})

test('requests are listed newest first, and filtered', async () => {
  const { tokenizationRequestId: newest } = await requestMint({ qty: '0.5' })
  await waitForCompletion(newest!)
  const all = await alpaca.trading.tokenization.getTokenizationRequests({ type: 'mint', status: 'completed' })
  assert.deepEqual(
    all.map(({ qty }) => qty),
    ['0.5', '1.5'],
  )
  for (const none of [
    { underlyingSymbol: 'MSFT' },
    { status: 'rejected' as const },
    { network: 'base' as const },
  ])
    assert.deepEqual(await alpaca.trading.tokenization.getTokenizationRequests(none), [])
})

test('a request is found by its client_request_id', async () => {
  const { tokenizationRequestId: id } = await requestMint({ label: 'desk-7', qty: '0.25' })
  const found = await alpaca.trading.tokenization.getTokenizationRequestByClientRequestID({
    clientRequestId: 'desk-7',
  })
  assert.deepEqual([found.tokenizationRequestId, found.clientRequestId], [id, 'desk-7'])
})

test('the same idempotency key gives the same request and one mint', async () => {
  const first = await requestMint({ key: 'once', qty: '0.75' })
  await waitForCompletion(first.tokenizationRequestId!)
  const before = await held()
  const again = await requestMint({ key: 'once', qty: '0.75' })
  assert.equal(again.tokenizationRequestId, first.tokenizationRequestId)
  assert.equal(await held(), before)
  await assert.rejects(requestMint({ key: 'once', qty: '1' }), ValidationError)
})

test('a refusal is a typed error', async () => {
  for (const [wrong, expected] of [
    [{ qty: '1000' }, /^insufficient position quantity for AAPL \(requested: 1000, available: 7\)$/],
    [{ qty: '0.0000000001' }, /^qty must have at most 9 decimal places$/],
    [{ key: 'not a key' }, /Idempotency-Key/],
  ] as const)
    await assert.rejects(
      requestMint(wrong),
      (error) => error instanceof ValidationError && expected.test(error.message),
    )
  const unknownId = '00000000-0000-4000-8000-000000000000'
  await assert.rejects(
    alpaca.trading.tokenization.getTokenizationRequest({ tokenizationRequestId: unknownId }),
    NotFoundError,
  )
})

test('returned tokens are listed as a redemption, and the shares return to the account', async () => {
  const before = Number(await held())
  const { status } = await callAsOperator(
    broker,
    'POST',
    `/sim/v1/worlds/${world.world}/tokenization/redemptions`,
    {
      account_id: world.accountId,
      issuer: 'xstocks',
      underlying_symbol: 'AAPL',
      qty: '1.25',
      network: 'solana',
      wallet_address: mint.walletAddress,
      tx_hash: 'sent',
    },
  )
  assert.equal(status, 201)
  await world.advance('1s')
  const [redeem, ...others] = await alpaca.trading.tokenization.getTokenizationRequests({ type: 'redeem' })
  assert.deepEqual(others, [])
  const { type, qty, tokenSymbol, walletAddress, txHash } = await waitForCompletion(
    redeem!.tokenizationRequestId!,
  )
  assert.deepEqual(
    [type, qty, tokenSymbol, walletAddress, txHash],
    ['redeem', '1.25', 'AAPLx', mint.walletAddress, 'sent'],
  )
  assert.equal(Number(await held()), before + 1.25)
})

/** Waits for the jobs of issuer and chain. */
async function waitForCompletion(tokenizationRequestId: string) {
  for (;;) {
    const request = await alpaca.trading.tokenization.getTokenizationRequest({ tokenizationRequestId })
    if (request.status !== 'pending') {
      assert.equal(request.status, 'completed')
      return request
    }
  }
}

test('the compatibility page lists exactly what this file uses', () =>
  sdk.coverage.assertMatches(import.meta.filename))

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { type Alpaca, NotFoundError, ValidationError } from '@alpacahq/alpaca-trade-api'
import { callAsOperator, newWorld } from '../broker.ts'
import { broker } from '../shared-broker.ts'
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

/** The SDK knows neither the Idempotency-Key nor the label of a request: both are added as a program would. */
const asked = ({ key, label, qty = mint.qty }: Extra = {}) =>
  alpaca.trading.tokenization.postTokenizationMint(
    { tokenizationMintRequest: { ...mint, qty } },
    async ({ init }) => ({
      headers: { ...init.headers, ...(key === undefined ? {} : { 'Idempotency-Key': key }) },
      // The SDK makes JSON of it.
      body: {
        ...(init.body as object),
        ...(label === undefined ? {} : { client_request_id: label }),
      } as never,
    }),
  )

const held = async () => (await alpaca.trading.positions.getOpenPosition({ symbolOrAssetId: 'AAPL' })).qty

test('a mint is pending at once and completed soon; the shares have left the account', async () => {
  const { tokenizationRequestId: id, createdAt, ...told } = await asked()
  assert(createdAt instanceof Date)
  assert.deepEqual(told, {
    issuer: 'xstocks',
    network: 'solana',
    qty: '1.5',
    status: 'pending',
    tokenSymbol: 'AAPLx',
    underlyingSymbol: 'AAPL',
  })
  const done = await completed(id!)
  assert.deepEqual([done.type, done.walletAddress, done.qty], ['mint', mint.walletAddress, '1.5'])
  assert(done.txHash && done.updatedAt instanceof Date)
  assert.equal(await held(), '8.5')
})

test('requests are listed newest first, and filtered', async () => {
  const { tokenizationRequestId: newest } = await asked({ qty: '0.5' })
  await completed(newest!)
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

test('a request is found by the label its caller gave it', async () => {
  const { tokenizationRequestId: id } = await asked({ label: 'desk-7', qty: '0.25' })
  const found = await alpaca.trading.tokenization.getTokenizationRequestByClientRequestID({
    clientRequestId: 'desk-7',
  })
  assert.deepEqual([found.tokenizationRequestId, found.clientRequestId], [id, 'desk-7'])
})

test('the same key gives the same request, and mints once', async () => {
  const first = await asked({ key: 'once', qty: '0.75' })
  await completed(first.tokenizationRequestId!)
  const before = await held()
  const again = await asked({ key: 'once', qty: '0.75' })
  assert.equal(again.tokenizationRequestId, first.tokenizationRequestId)
  assert.equal(await held(), before)
  await assert.rejects(asked({ key: 'once', qty: '1' }), ValidationError)
})

test('what is refused is a typed error', async () => {
  for (const [wrong, told] of [
    [{ qty: '1000' }, /^insufficient position quantity for AAPL \(requested: 1000, available: 7\)$/],
    [{ qty: '0.0000000001' }, /^qty must have at most 9 decimal places$/],
    [{ key: 'not a key' }, /Idempotency-Key/],
  ] as const)
    await assert.rejects(
      asked(wrong),
      (error) => error instanceof ValidationError && told.test(error.message),
    )
  const nobody = '00000000-0000-4000-8000-000000000000'
  await assert.rejects(
    alpaca.trading.tokenization.getTokenizationRequest({ tokenizationRequestId: nobody }),
    NotFoundError,
  )
})

test('tokens that come back are listed as a redemption, and the shares are there again', async () => {
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
  const { type, qty, tokenSymbol, walletAddress, txHash } = await completed(redeem!.tokenizationRequestId!)
  assert.deepEqual(
    [type, qty, tokenSymbol, walletAddress, txHash],
    ['redeem', '1.25', 'AAPLx', mint.walletAddress, 'sent'],
  )
  assert.equal(Number(await held()), before + 1.25)
})

/** Issuer and chain answer by the world's jobs, not within the request. */
async function completed(tokenizationRequestId: string) {
  for (;;) {
    const request = await alpaca.trading.tokenization.getTokenizationRequest({ tokenizationRequestId })
    if (request.status !== 'pending') {
      assert.equal(request.status, 'completed')
      return request
    }
  }
}

test('the compatibility page says what was seen here', () => sdk.witness.confirms(import.meta.filename))

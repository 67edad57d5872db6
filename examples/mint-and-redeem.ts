// eval "$(npm run -s quipu -- env --all)" && npx node examples/mint-and-redeem.ts
// Mint shares as tokens and redeem tokens for shares, with the built-in issuer and chain.
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@quipu/sdk'

const { APCA_API_BASE_URL: url, APCA_API_KEY_ID: keyId, APCA_API_SECRET_KEY: secretKey } = process.env
const { QUIPU_BROKER_KEY: brokerKey, QUIPU_BROKER_SECRET: brokerSecret } = process.env
if (!url || !keyId || !secretKey || !brokerKey || !brokerSecret)
  throw new Error('first: eval "$(npm run -s quipu -- env --all)"')

const participant = createClient({ url, keyId, secretKey })
const operator = createClient({ url, keyId: brokerKey, secretKey: brokerSecret })
const shares = async (): Promise<string> =>
  (await participant.getPosition({ params: { symbol_or_asset_id: 'AAPL' } })).qty

const placed = await participant.placeOrder({
  body: { symbol: 'AAPL', qty: 3, side: 'buy', type: 'market', time_in_force: 'day' },
})
for (let order = placed; order.status !== 'filled'; ) {
  await sleep(50)
  order = await participant.getOrder({ params: { order_id: placed.id } })
}
const before = Number(await shares())

const minted = await participant.postTokenizationMint({
  headers: { 'idempotency-key': crypto.randomUUID() },
  body: {
    underlying_symbol: 'AAPL',
    qty: '2.5',
    issuer: 'xstocks',
    network: 'base',
    wallet_address: '0x52908400098527886e0f7030069857d2e4169ee7',
  },
})
const params = { tokenization_request_id: minted.tokenization_request_id }
let mint = await participant.getTokenizationRequest({ params })
while (mint.status === 'pending') {
  await sleep(50)
  mint = await participant.getTokenizationRequest({ params })
}
console.log(
  `minted ${mint.qty} ${mint.token_symbol}: ${mint.status}, ${before - Number(await shares())} shares left the account`,
)

// Tokens are redeemed by a transfer to the wallet of the issuer. Without a real chain, the operator simulates the transfer.
const { id: account_id } = await participant.getAccount()
await operator.simulateRedemption({
  params: { world: 'main' },
  body: { account_id, issuer: 'xstocks', underlying_symbol: 'AAPL', qty: '1', network: 'base' },
})
let [redeem] = await participant.getTokenizationRequests({ query: { type: 'redeem' } })
while (redeem?.status !== 'completed') {
  await sleep(50)
  ;[redeem] = await participant.getTokenizationRequests({ query: { type: 'redeem' } })
}
console.log(`redeemed ${redeem.qty}: ${redeem.status}, ${before - Number(await shares())} shares are tokens`)

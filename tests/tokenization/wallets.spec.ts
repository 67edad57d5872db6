import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startBroker } from '../support/broker.ts'

// The account has no shares: 400 means that the address was accepted and the position was refused.
for (const [rule, env, wallet, status] of [
  ['no rule', {}, 'my-wallet', 400],
  ['no rule', {}, `0x${'0'.repeat(40)}`, 422],
  ['lenient', { QUIPU_WALLETS: 'lenient' }, 'my-wallet', 400],
  ['strict', { QUIPU_WALLETS: 'strict' }, 'my-wallet', 422],
  ['strict', { QUIPU_WALLETS: 'strict' }, '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', 400],
] as const)
  test(`with ${rule} a mint to ${wallet} returns ${status}`, async (t) => {
    const broker = await startBroker(['--data', 'memory'], env)
    t.after(() => broker.stop())
    const response = await fetch(`${broker.url}/v2/tokenization/mint`, {
      method: 'POST',
      headers: { 'apca-api-key-id': broker.keyId, 'apca-api-secret-key': broker.secretKey },
      body: JSON.stringify({
        underlying_symbol: 'AAPL',
        qty: '1',
        issuer: 'xstocks',
        network: 'base',
        wallet_address: wallet,
      }),
    })
    const { message } = (await response.json()) as { message: string }
    assert.equal(response.status, status, message)
    assert.equal(/^invalid wallet address/.test(message), status === 422)
  })

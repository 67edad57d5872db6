import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { call } from '../support/broker.ts'
import { waitUntil } from '../support/wait-until.ts'
import {
  audit,
  balanceOn,
  buyShares,
  contractOn,
  dustOf,
  ISSUER_KEY,
  mint,
  nodes,
  ONE,
  PARTICIPANT,
  PARTICIPANT_KEY,
  REDEMPTION_WALLET,
  requests,
  STRANGER,
  STRANGER_KEY,
  send,
  sendTransaction,
  shares,
  startBrokerOn,
  supplyOn,
  unmatchedTransfers,
  waitForCompletion,
} from './stage.ts'

for (const [name, start] of nodes)
  describe(name, async () => {
    const node = await start()
    const broker = await startBrokerOn(node.url)
    after(async () => {
      await broker.stop()
      await node.close()
    })

    test('a mint moves shares to tokens in the wallet', async () => {
      await buyShares(broker, 'AAPL', '3')
      const done = await waitForCompletion(broker, await mint(broker, '1.5'))
      assert.match(done.tx_hash, /^0x[0-9a-f]{64}$/)
      const contract = await contractOn(node)
      assert.equal(await balanceOn(node, contract, PARTICIPANT), (ONE * 3n) / 2n)
      assert.equal(await shares(broker), '1.5')
      const receipt = await node.request('eth_getTransactionReceipt', [done.tx_hash])
      assert.equal((receipt as { status: string }).status, '0x1')
    })

    test('the token list has the contract and the redemption wallet', async () => {
      const { body } = await call(
        broker,
        'GET',
        '/v2/tokenization/tokens?underlying_symbol=AAPL&issuer=xstocks',
      )
      const tokens: Record<string, unknown>[] = body
      assert.deepEqual(
        tokens.find((token) => token['network'] === 'ethereum'),
        {
          issuer: 'xstocks',
          underlying_symbol: 'AAPL',
          token_symbol: 'AAPLx',
          network: 'ethereum',
          shares_per_token: '1/1',
          redemption_wallet: REDEMPTION_WALLET,
          contract_address: await contractOn(node),
          decimals: 18,
        },
      )
      const base = tokens.find((token) => token['network'] === 'base')
      assert.deepEqual([base?.['contract_address'], base?.['redemption_wallet']], [null, null])
    })

    test('tokens sent to the redemption wallet are redeemed, rounded down, and burned', async () => {
      const contract = await contractOn(node)
      const units = 450_574_852_280_275_235n
      const txHash = await send(node, PARTICIPANT_KEY, contract, { to: REDEMPTION_WALLET, units })
      await waitUntil('the shares are returned', async () => (await shares(broker)) === '1.950574852')
      const [redeem] = await requests(broker, 'redeem')
      assert.equal(redeem.tx_hash, txHash)
      assert.equal(redeem.qty, '0.450574852')
      assert.equal(redeem.wallet_address, PARTICIPANT)
      const left = (ONE * 3n) / 2n - 450_574_852_000_000_000n
      await waitUntil('the tokens are burned', async () => (await supplyOn(node, contract)) === left)
      // The rounded-off units stay in the redemption wallet.
      assert.equal(await balanceOn(node, contract, REDEMPTION_WALLET), 280_275_235n)
      assert.equal(await dustOf(broker, 'AAPLx'), 280_275_235n)
      assert.deepEqual((await audit(broker)).problems, [])
    })

    test('a transfer from an unknown wallet is unmatched', async () => {
      const contract = await contractOn(node)
      await send(node, PARTICIPANT_KEY, contract, { to: STRANGER, units: ONE / 4n })
      const txHash = await send(node, STRANGER_KEY, contract, { to: REDEMPTION_WALLET, units: ONE / 4n })
      const [transfer] = await waitUntil('the transfer is listed', async () => {
        const list = await unmatchedTransfers(broker)
        return list.length > 0 && list
      })
      assert.equal(transfer.tx_hash, txHash)
      assert.equal(transfer.wallet_address, STRANGER)
      assert.equal(transfer.token_symbol, 'AAPLx')
      assert.equal(transfer.problem, 'no account has minted to this wallet')
      assert.equal(await shares(broker), '1.950574852')
      assert.deepEqual((await audit(broker)).problems, [])
    })

    test('the audit finds tokens that the ledger does not have', async () => {
      const contract = await contractOn(node)
      // mint(address,uint256,bytes32) with the key of the issuer, without the broker.
      const data = `0x1e458bee${PARTICIPANT.slice(2).padStart(64, '0')}${'1'.padStart(64, '0')}${'7'.repeat(64)}`
      await sendTransaction(node, ISSUER_KEY, contract, data)
      const { sound, problems } = await audit(broker)
      assert.equal(sound, false)
      assert.match(
        problems.join(),
        /supply of AAPLx on ethereum: \d+1 units on the chain, \d+0 in the ledger/,
      )
    })
  })

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitUntil } from '../support/wait-until.ts'
import {
  audit,
  balanceOn,
  buyShares,
  contractOn,
  mint,
  ONE,
  PARTICIPANT,
  PARTICIPANT_KEY,
  REDEMPTION_WALLET,
  send,
  shares,
  startBrokerOn,
  startNode,
  supplyOn,
  waitForCompletion,
} from './stage.ts'

test('mint, redeem and burn work on a network with legacy gas prices', async () => {
  const node = await startNode({ fees: 'price' })
  const broker = await startBrokerOn(node.url)
  try {
    await buyShares(broker, 'AAPL', '2')
    const { tx_hash } = await waitForCompletion(broker, await mint(broker, '2'))
    const sent = (await node.request('eth_getTransactionByHash', [tx_hash])) as {
      type: string
      gasPrice: string
    }
    assert.deepEqual([sent.type, sent.gasPrice], ['0x0', await node.request('eth_gasPrice', [])])
    const contract = await contractOn(node)
    assert.equal(await balanceOn(node, contract, PARTICIPANT), 2n * ONE)
    await send(node, PARTICIPANT_KEY, contract, { to: REDEMPTION_WALLET, units: ONE })
    await waitUntil('the shares are returned', async () => (await shares(broker)) === '1')
    await waitUntil('the tokens are burned', async () => (await supplyOn(node, contract)) === ONE)
    assert.ok(!node.methods.includes('eth_maxPriorityFeePerGas'))
    await waitUntil('the audit is sound', async () => (await audit(broker)).problems.length === 0)
  } finally {
    await broker.stop()
    await node.close()
  }
})

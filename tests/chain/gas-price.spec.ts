import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  audit,
  balanceOn,
  bought,
  brokerOn,
  completed,
  contractOn,
  mint,
  ONE,
  PARTICIPANT,
  PARTICIPANT_KEY,
  REDEMPTION_WALLET,
  send,
  shares,
  startNode,
  supplyOn,
  until,
} from './stage.ts'

test('a network that is paid by one price is minted on, redeemed from and burned on like any other', async () => {
  const node = await startNode({ fees: 'price' })
  const broker = await brokerOn(node.url)
  try {
    await bought(broker, 'AAPL', '2')
    const { tx_hash } = await completed(broker, await mint(broker, '2'))
    const sent = (await node.request('eth_getTransactionByHash', [tx_hash])) as {
      type: string
      gasPrice: string
    }
    assert.deepEqual([sent.type, sent.gasPrice], ['0x0', await node.request('eth_gasPrice', [])])
    const contract = await contractOn(node)
    assert.equal(await balanceOn(node, contract, PARTICIPANT), 2n * ONE)
    await send(node, PARTICIPANT_KEY, contract, { to: REDEMPTION_WALLET, units: ONE })
    await until('the shares are back', async () => (await shares(broker)) === '1')
    await until('they are burned', async () => (await supplyOn(node, contract)) === ONE)
    assert.ok(!node.heard.includes('eth_maxPriorityFeePerGas'))
    await until('that is sound', async () => (await audit(broker)).problems.length === 0)
  } finally {
    await broker.stop()
    await node.close()
  }
})

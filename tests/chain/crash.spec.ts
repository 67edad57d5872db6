import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newFolder } from '../support/broker.ts'
import { casesOf } from '../support/cases.ts'
import { waitUntil } from '../support/wait-until.ts'
import type { CallHandling, TestNode } from './node.ts'
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
  requests,
  send,
  shares,
  startBrokerOn,
  startNode,
  supplyOn,
  waitForCompletion,
} from './stage.ts'

/** Sets the behaviour of the node for a method, and waits for its first call. */
function whenCalled(node: TestNode, method: string, handling: CallHandling): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  node.handling = (called) => {
    if (called !== method) return 'answer'
    resolve()
    return handling
  }
  return promise
}

const moments = [
  ['after the node accepted the transaction, before its response', 'eth_sendRawTransaction', 'loseResponse'],
  ['before the node received the transaction', 'eth_sendRawTransaction', 'drop'],
  ['while it requests the receipt', 'eth_getTransactionReceipt', 'drop'],
] as const

test('a broker that is killed mints once', async (t) => {
  const node = await startNode()
  const folder = newFolder()
  let broker = await startBrokerOn(node.url, folder)
  try {
    await buyShares(broker, 'AAPL', '3')
    await waitForCompletion(broker, await mint(broker, '1'))
    const contract = await contractOn(node)
    let minted = ONE
    for (const [moment, method, handling] of casesOf(moments))
      await t.test(moment, async () => {
        const reached = whenCalled(node, method, handling)
        const id = await mint(broker, '0.5')
        await reached
        await broker.kill()
        node.handling = () => 'answer'
        broker = await startBrokerOn(node.url, folder)
        await waitForCompletion(broker, id)
        minted += ONE / 2n
        assert.equal(await balanceOn(node, contract, PARTICIPANT), minted)
        assert.equal(await supplyOn(node, contract), minted)
        assert.deepEqual((await audit(broker)).problems, [])
      })
  } finally {
    await broker.stop()
    await node.close()
  }
})

test('tokens received while the broker was down are redeemed once and burned once', async () => {
  const node = await startNode()
  const folder = newFolder()
  let broker = await startBrokerOn(node.url, folder)
  try {
    await buyShares(broker, 'AAPL', '2')
    await waitForCompletion(broker, await mint(broker, '2'))
    const contract = await contractOn(node)
    await broker.kill()
    await send(node, PARTICIPANT_KEY, contract, { to: REDEMPTION_WALLET, units: ONE })
    const burning = whenCalled(node, 'eth_sendRawTransaction', 'loseResponse')
    broker = await startBrokerOn(node.url, folder)
    await burning
    await broker.kill()
    node.handling = () => 'answer'
    broker = await startBrokerOn(node.url, folder)
    await waitUntil('the tokens are burned', async () => (await supplyOn(node, contract)) === ONE)
    await waitUntil('the shares are returned', async () => (await shares(broker)) === '1')
    assert.equal((await requests(broker, 'redeem')).length, 1)
    assert.deepEqual((await audit(broker)).problems, [])
  } finally {
    await broker.stop()
    await node.close()
  }
})

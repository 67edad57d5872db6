import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newFolder } from '../broker.ts'
import type { Fate, TestNode } from './node.ts'
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
  requests,
  send,
  shares,
  startNode,
  supplyOn,
  until,
} from './stage.ts'

/** From the next of these calls on, the node behaves like this. */
function when(node: TestNode, method: string, fate: Fate): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  node.fate = (asked) => {
    if (asked !== method) return 'answer'
    resolve()
    return fate
  }
  return promise
}

for (const [what, method, fate] of [
  ['after the node took it, before it answered', 'eth_sendRawTransaction', 'swallowAnswer'],
  ['before the node got it', 'eth_sendRawTransaction', 'drop'],
  ['while its receipt is asked for', 'eth_getTransactionReceipt', 'drop'],
] as const)
  test(`a broker killed ${what} mints once`, async () => {
    const node = await startNode()
    const folder = newFolder()
    let broker = await brokerOn(node.url, folder)
    try {
      await bought(broker, 'AAPL', '2')
      await completed(broker, await mint(broker, '1'))
      const reached = when(node, method, fate)
      const id = await mint(broker, '0.5')
      await reached
      await broker.kill()
      node.fate = () => 'answer'
      broker = await brokerOn(node.url, folder)
      await completed(broker, id)
      const contract = await contractOn(node)
      assert.equal(await balanceOn(node, contract, PARTICIPANT), (ONE * 3n) / 2n)
      assert.equal(await supplyOn(node, contract), (ONE * 3n) / 2n)
      assert.deepEqual((await audit(broker)).problems, [])
    } finally {
      await broker.stop()
      await node.close()
    }
  })

test('tokens that came while the broker was down are redeemed once, and burned once', async () => {
  const node = await startNode()
  const folder = newFolder()
  let broker = await brokerOn(node.url, folder)
  try {
    await bought(broker, 'AAPL', '2')
    await completed(broker, await mint(broker, '2'))
    const contract = await contractOn(node)
    await broker.kill()
    await send(node, PARTICIPANT_KEY, contract, { to: REDEMPTION_WALLET, units: ONE })
    const burning = when(node, 'eth_sendRawTransaction', 'swallowAnswer')
    broker = await brokerOn(node.url, folder)
    await burning
    await broker.kill()
    node.fate = () => 'answer'
    broker = await brokerOn(node.url, folder)
    await until('they are burned', async () => (await supplyOn(node, contract)) === ONE)
    await until('that is known', async () => (await shares(broker)) === '1')
    assert.equal((await requests(broker, 'redeem')).length, 1)
    assert.deepEqual((await audit(broker)).problems, [])
  } finally {
    await broker.stop()
    await node.close()
  }
})

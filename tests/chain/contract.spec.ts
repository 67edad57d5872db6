import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { callOf, textsOf, type Word } from '../../broker/src/chain/evm-calls.ts'
import { waitUntil } from '../support/wait-until.ts'
import { compileToken } from './compile-token.ts'
import type { TestNode } from './node.ts'
import {
  audit,
  balanceOn,
  buyShares,
  contractOn,
  ISSUER_KEY,
  mint,
  ONE,
  PARTICIPANT,
  PARTICIPANT_KEY,
  REDEMPTION_WALLET,
  STRANGER,
  send,
  sendTransaction,
  shares,
  startBrokerOn,
  startNode,
  supplyOn,
  waitForCompletion,
  walletOf,
} from './stage.ts'

const artefact = JSON.parse(
  readFileSync(new URL('../../broker/src/chain/contract/quipu-token.json', import.meta.url), 'utf8'),
)

test('the stored artefact matches the compiled source', () => {
  assert.deepEqual(artefact, compileToken())
})

let node: TestNode
let contract: string
before(async () => {
  node = await startNode()
  contract = (await receiptOf(ISSUER_KEY, artefact.bytecode + textsOf(['Apple', 'AAPLx'])))
    .contractAddress as string
})
after(() => node.close())

type Receipt = { readonly status: string; readonly contractAddress?: string }

async function receiptOf(key: `0x${string}`, data: string, to?: string): Promise<Receipt> {
  const hash = await sendTransaction(node, key, to, data)
  return (await node.request('eth_getTransactionReceipt', [hash])) as Receipt
}

const succeeds = async (key: `0x${string}`, signature: string, words: readonly Word[]): Promise<boolean> =>
  (await receiptOf(key, callOf(signature, words), contract)).status === '0x1'

const to = (address: string): Word => ({ address })
const amount = (number: bigint): Word => ({ number })
const id = (digit: string): Word => ({ bytes32: `0x${digit.repeat(64)}` })
const yes = amount(1n)
const no = amount(0n)
const MINT = 'mint(address,uint256,bytes32)'
const SEND = 'transfer(address,uint256)'

const calls: readonly (readonly [string, `0x${string}`, string, readonly Word[], boolean])[] = [
  ['a stranger cannot mint', PARTICIPANT_KEY, MINT, [to(PARTICIPANT), amount(5n), id('a')], false],
  ['the issuer mints', ISSUER_KEY, MINT, [to(PARTICIPANT), amount(5n), id('a')], true],
  ['the same id mints once', ISSUER_KEY, MINT, [to(PARTICIPANT), amount(5n), id('a')], false],
  [
    'address zero cannot receive tokens',
    ISSUER_KEY,
    MINT,
    [to(`0x${'0'.repeat(40)}`), amount(5n), id('b')],
    false,
  ],
  ['a holder can send tokens', PARTICIPANT_KEY, SEND, [to(STRANGER), amount(1n)], true],
  ['a holder cannot send more than its balance', PARTICIPANT_KEY, SEND, [to(STRANGER), amount(5n)], false],
  ['a stranger cannot pause', PARTICIPANT_KEY, 'setPaused(bool)', [yes], false],
  ['the issuer pauses', ISSUER_KEY, 'setPaused(bool)', [yes], true],
  ['a paused contract refuses transfers', PARTICIPANT_KEY, SEND, [to(STRANGER), amount(1n)], false],
  ['a paused contract refuses mints', ISSUER_KEY, MINT, [to(PARTICIPANT), amount(5n), id('c')], false],
  ['the pause ends', ISSUER_KEY, 'setPaused(bool)', [no], true],
  ['the issuer turns on the allow list', ISSUER_KEY, 'setListed(bool)', [yes], true],
  [
    'a wallet that is not on the allow list cannot send',
    PARTICIPANT_KEY,
    SEND,
    [to(walletOf(ISSUER_KEY)), amount(1n)],
    false,
  ],
  [
    'the issuer adds a wallet to the allow list',
    ISSUER_KEY,
    'setAllowed(address,bool)',
    [to(PARTICIPANT), yes],
    true,
  ],
  [
    'an allowed wallet can send to the issuer',
    PARTICIPANT_KEY,
    SEND,
    [to(walletOf(ISSUER_KEY)), amount(2n)],
    true,
  ],
  [
    'an allowed wallet cannot send to another wallet',
    PARTICIPANT_KEY,
    SEND,
    [to(STRANGER), amount(1n)],
    false,
  ],
  ['a holder cannot burn', PARTICIPANT_KEY, 'burn(uint256,bytes32)', [amount(1n), id('d')], false],
  ['the issuer can burn its tokens', ISSUER_KEY, 'burn(uint256,bytes32)', [amount(2n), id('d')], true],
  ['the same id burns once', ISSUER_KEY, 'burn(uint256,bytes32)', [amount(0n), id('d')], false],
  [
    'the issuer cannot burn more than its balance',
    ISSUER_KEY,
    'burn(uint256,bytes32)',
    [amount(1n), id('e')],
    false,
  ],
]

for (const [title, key, signature, words, expected] of calls)
  test(`the contract: ${title}`, async () => assert.equal(await succeeds(key, signature, words), expected))

test('the contract: the supply is the minted minus the burned tokens', async () => {
  assert.equal(await supplyOn(node, contract), 3n)
  assert.equal(await balanceOn(node, contract, PARTICIPANT), 2n)
  assert.equal(await balanceOn(node, contract, STRANGER), 1n)
})

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

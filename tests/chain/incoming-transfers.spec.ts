import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { callOf, type Word } from '../../broker/src/chain/evm-calls.ts'
import { call } from '../support/broker.ts'
import { waitUntil } from '../support/wait-until.ts'
import { compile } from './compile-token.ts'
import {
  audit,
  buyShares,
  contractOn,
  deploy,
  mint,
  ONE,
  openAccount,
  PARTICIPANT,
  PARTICIPANT_KEY,
  REDEMPTION_WALLET,
  SHARED,
  SHARED_KEY,
  STRANGER,
  STRANGER_KEY,
  send,
  sendTransaction,
  shares,
  startBrokerOn,
  startNode,
  supplyOn,
  unmatchedTransfers,
  waitForCompletion,
  worldRequests,
} from './stage.ts'

/** Makes two approved transfers in one transaction. */
const BATCH = `pragma solidity ^0.8.20;
interface Token { function transferFrom(address from, address to, uint256 amount) external returns (bool); }
contract Batch {
  function go(Token token, address to, address a, uint256 x, address b, uint256 y) external {
    token.transferFrom(a, to, x);
    token.transferFrom(b, to, y);
  }
}`
/** Emits any number of Transfer events. */
const NOISE = `pragma solidity ^0.8.20;
contract Noise {
  event Transfer(address indexed from, address indexed to, uint256 amount);
  function make(address to, uint256 times) external {
    for (uint256 i = 0; i < times; i++) emit Transfer(msg.sender, to, 5);
  }
}`

const node = await startNode()
const broker = await startBrokerOn(node.url)
after(async () => {
  await broker.stop()
  await node.close()
})

const deployContract = (name: string, source: string) =>
  deploy(node, STRANGER_KEY, compile(name, source).bytecode)
const callContract = (key: `0x${string}`, to: string, signature: string, words: readonly Word[]) =>
  sendTransaction(node, key, to, callOf(signature, words))
const addressWord = (address: string): Word => ({ address })
const numberWord = (number: bigint): Word => ({ number })
const waitForUnmatched = (count: number) =>
  waitUntil(`${count} unmatched transfers`, async () => {
    const list = await unmatchedTransfers(broker)
    return list.length >= count && list
  })

test('a transfer from a wallet that two accounts minted to is unmatched', async () => {
  const accounts = [await openAccount(broker, '3'), await openAccount(broker, '3')]
  const ids = await Promise.all(accounts.map((account) => mint(account, '1', SHARED)))
  for (const [index, id] of ids.entries()) await waitForCompletion(accounts[index]!, id)
  const txHash = await send(node, SHARED_KEY, await contractOn(node), { to: REDEMPTION_WALLET, units: ONE })
  const [transfer] = await waitForUnmatched(1)
  assert.deepEqual(
    [transfer.tx_hash, transfer.problem],
    [txHash, 'several accounts have minted to this wallet'],
  )
  for (const account of accounts) assert.equal(await shares(account), '2')
  assert.deepEqual((await audit(broker)).problems, [])
})

test('an account may mint to several wallets and redeem from each', async () => {
  const account = await openAccount(broker, '3')
  for (const wallet of [STRANGER, PARTICIPANT])
    await waitForCompletion(account, await mint(account, '1', wallet))
  await send(node, STRANGER_KEY, await contractOn(node), { to: REDEMPTION_WALLET, units: ONE / 2n })
  await send(node, PARTICIPANT_KEY, await contractOn(node), { to: REDEMPTION_WALLET, units: ONE / 4n })
  await waitUntil('the shares are returned', async () => (await shares(account)) === '1.75')
})

test('two transfers in one transaction are two redemptions, or one redemption and one unmatched transfer', async () => {
  const contract = await contractOn(node)
  const batch = await deployContract('Batch', BATCH)
  for (const key of [SHARED_KEY, STRANGER_KEY, PARTICIPANT_KEY])
    await callContract(key, contract, 'approve(address,uint256)', [addressWord(batch), numberWord(ONE)])
  const go = (a: string, x: bigint, b: string, y: bigint) =>
    callContract(STRANGER_KEY, batch, 'go(address,address,address,uint256,address,uint256)', [
      addressWord(contract),
      addressWord(REDEMPTION_WALLET),
      addressWord(a),
      numberWord(x),
      addressWord(b),
      numberWord(y),
    ])
  const twice = await go(PARTICIPANT, ONE / 8n, PARTICIPANT, ONE / 8n)
  const mixed = await go(SHARED, ONE / 4n, STRANGER, ONE / 4n)
  const list = await waitForUnmatched(2)
  assert.deepEqual(
    list.slice(1).map(({ tx_hash, log_index, wallet_address }) => [tx_hash, log_index, wallet_address]),
    [[mixed, 0, SHARED]],
  )
  const redeems = await waitUntil('all transfers are redeemed', async () => {
    const made = (await worldRequests(broker)).filter(({ tx_hash }) => tx_hash === twice || tx_hash === mixed)
    return made.length === 3 && made.every(({ status }) => status === 'completed') && made
  })
  const named = redeems.map(({ issuer_request_id, qty }) => `${issuer_request_id} ${qty}`)
  assert.deepEqual(named.sort(), [`${twice} 0.125`, `${twice}:1 0.125`, `${mixed}:1 0.25`].sort())
  await waitUntil('the tokens are burned', async () => (await supplyOn(node, contract)) === (11n * ONE) / 4n)
  await waitUntil('the audit is sound', async () => (await audit(broker)).problems.length === 0)
})

test('a transfer of zero tokens is ignored', async () => {
  const contract = await contractOn(node)
  const before = (await unmatchedTransfers(broker)).length
  // Any address may transfer zero tokens of any wallet.
  await callContract(STRANGER_KEY, contract, 'transferFrom(address,address,uint256)', [
    addressWord(PARTICIPANT),
    addressWord(REDEMPTION_WALLET),
    numberWord(0n),
  ])
  const txHash = await send(node, SHARED_KEY, contract, { to: REDEMPTION_WALLET, units: 1n })
  const list = await waitForUnmatched(before + 1)
  assert.deepEqual([list.length, list.at(-1).tx_hash], [before + 1, txHash])
})

test('at most 1000 transfers of unknown tokens are listed, and known tokens are still processed', async () => {
  const known = await unmatchedTransfers(broker)
  const noise = await deployContract('Noise', NOISE)
  for (const times of [600n, 450n])
    await callContract(STRANGER_KEY, noise, 'make(address,uint256)', [
      addressWord(REDEMPTION_WALLET),
      numberWord(times),
    ])
  await waitForUnmatched(known.length + 1000)
  await buyShares(broker, 'AAPL', '1')
  await waitForCompletion(broker, await mint(broker, '1', '0x00000000000000000000000000000000000000aa'))
  const contract = await contractOn(node)
  const txHash = await send(node, SHARED_KEY, contract, { to: REDEMPTION_WALLET, units: ONE / 2n })
  const list = await waitForUnmatched(known.length + 1001)
  assert.equal(list.length, known.length + 1001)
  assert.equal(list.filter(({ contract: from }) => from === noise).length, 1000)
  assert.equal(list.at(-1).tx_hash, txHash)
  assert.match(broker.log(), /unknown tokens arrived at the redemption wallet/)
  assert.equal(await shares(broker), '0')
  assert.equal((await call(broker, 'GET', '/v2/clock')).status, 200)
})

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { callOf, type Word } from '../../server/src/chain/evm-calls.ts'
import { call } from '../broker.ts'
import { compile } from './compile-token.ts'
import {
  audit,
  bought,
  brokerOn,
  completed,
  contractOn,
  deployed,
  mint,
  ONE,
  opened,
  PARTICIPANT,
  PARTICIPANT_KEY,
  REDEMPTION_WALLET,
  run,
  SHARED,
  SHARED_KEY,
  STRANGER,
  STRANGER_KEY,
  send,
  shares,
  startNode,
  supplyOn,
  unmatchedTransfers,
  until,
  worldRequests,
} from './stage.ts'

/** Moves what others have allowed it to, twice in one transaction. */
const BATCH = `pragma solidity ^0.8.20;
interface Token { function transferFrom(address from, address to, uint256 amount) external returns (bool); }
contract Batch {
  function go(Token token, address to, address a, uint256 x, address b, uint256 y) external {
    token.transferFrom(a, to, x);
    token.transferFrom(b, to, y);
  }
}`
/** Says that tokens came, as often as it is asked to. */
const NOISE = `pragma solidity ^0.8.20;
contract Noise {
  event Transfer(address indexed from, address indexed to, uint256 amount);
  function make(address to, uint256 times) external {
    for (uint256 i = 0; i < times; i++) emit Transfer(msg.sender, to, 5);
  }
}`

const node = await startNode()
const broker = await brokerOn(node.url)
after(async () => {
  await broker.stop()
  await node.close()
})

const contractNamed = (name: string, source: string) =>
  deployed(node, STRANGER_KEY, compile(name, source).bytecode)
const asked = (key: `0x${string}`, to: string, signature: string, words: readonly Word[]) =>
  run(node, key, to, callOf(signature, words))
const at = (address: string): Word => ({ address })
const of = (number: bigint): Word => ({ number })
const unmatched = (many: number) =>
  until(`${many} unmatched transfers`, async () => {
    const list = await unmatchedTransfers(broker)
    return list.length >= many && list
  })

test('a wallet that two accounts mint to at the same time is neither one’s', async () => {
  const accounts = [await opened(broker, '3'), await opened(broker, '3')]
  const ids = await Promise.all(accounts.map((account) => mint(account, '1', SHARED)))
  for (const [index, id] of ids.entries()) await completed(accounts[index]!, id)
  const txHash = await send(node, SHARED_KEY, await contractOn(node), { to: REDEMPTION_WALLET, units: ONE })
  const [arrival] = await unmatched(1)
  assert.deepEqual(
    [arrival.tx_hash, arrival.problem],
    [txHash, 'several accounts have minted to this wallet'],
  )
  for (const account of accounts) assert.equal(await shares(account), '2')
  assert.deepEqual((await audit(broker)).problems, [])
})

test('an account has several wallets, and each is its own', async () => {
  const account = await opened(broker, '3')
  for (const wallet of [STRANGER, PARTICIPANT]) await completed(account, await mint(account, '1', wallet))
  await send(node, STRANGER_KEY, await contractOn(node), { to: REDEMPTION_WALLET, units: ONE / 2n })
  await send(node, PARTICIPANT_KEY, await contractOn(node), { to: REDEMPTION_WALLET, units: ONE / 4n })
  await until('the shares are back', async () => (await shares(account)) === '1.75')
})

test('two transfers in one transaction are two redeems, or one and something to look at', async () => {
  const contract = await contractOn(node)
  const batch = await contractNamed('Batch', BATCH)
  for (const key of [SHARED_KEY, STRANGER_KEY, PARTICIPANT_KEY])
    await asked(key, contract, 'approve(address,uint256)', [at(batch), of(ONE)])
  const go = (a: string, x: bigint, b: string, y: bigint) =>
    asked(STRANGER_KEY, batch, 'go(address,address,address,uint256,address,uint256)', [
      at(contract),
      at(REDEMPTION_WALLET),
      at(a),
      of(x),
      at(b),
      of(y),
    ])
  const twice = await go(PARTICIPANT, ONE / 8n, PARTICIPANT, ONE / 8n)
  const mixed = await go(SHARED, ONE / 4n, STRANGER, ONE / 4n)
  const list = await unmatched(2)
  assert.deepEqual(
    list.slice(1).map(({ tx_hash, log_index, wallet_address }) => [tx_hash, log_index, wallet_address]),
    [[mixed, 0, SHARED]],
  )
  const redeems = await until('all are redeemed', async () => {
    const made = (await worldRequests(broker)).filter(({ tx_hash }) => tx_hash === twice || tx_hash === mixed)
    return made.length === 3 && made.every(({ status }) => status === 'completed') && made
  })
  const named = redeems.map(({ issuer_request_id, qty }) => `${issuer_request_id} ${qty}`)
  assert.deepEqual(named.sort(), [`${twice} 0.125`, `${twice}:1 0.125`, `${mixed}:1 0.25`].sort())
  await until('they are burned', async () => (await supplyOn(node, contract)) === (11n * ONE) / 4n)
  await until('that is sound', async () => (await audit(broker)).problems.length === 0)
})

test('nothing came where nothing was sent, whoever it is said to come from', async () => {
  const contract = await contractOn(node)
  const before = (await unmatchedTransfers(broker)).length
  // Anybody may move nothing of anybody's.
  await asked(STRANGER_KEY, contract, 'transferFrom(address,address,uint256)', [
    at(PARTICIPANT),
    at(REDEMPTION_WALLET),
    of(0n),
  ])
  const txHash = await send(node, SHARED_KEY, contract, { to: REDEMPTION_WALLET, units: 1n })
  const list = await unmatched(before + 1)
  assert.deepEqual([list.length, list.at(-1).tx_hash], [before + 1, txHash])
})

test('of tokens that nobody here knows a thousand are listed, and what is known is taken all the same', async () => {
  const known = await unmatchedTransfers(broker)
  const noise = await contractNamed('Noise', NOISE)
  for (const times of [600n, 450n])
    await asked(STRANGER_KEY, noise, 'make(address,uint256)', [at(REDEMPTION_WALLET), of(times)])
  await unmatched(known.length + 1000)
  await bought(broker, 'AAPL', '1')
  await completed(broker, await mint(broker, '1', '0x00000000000000000000000000000000000000aa'))
  const contract = await contractOn(node)
  const txHash = await send(node, SHARED_KEY, contract, { to: REDEMPTION_WALLET, units: ONE / 2n })
  const list = await unmatched(known.length + 1001)
  assert.equal(list.length, known.length + 1001)
  assert.equal(list.filter(({ contract: from }) => from === noise).length, 1000)
  assert.equal(list.at(-1).tx_hash, txHash)
  assert.match(broker.log(), /unknown tokens arrived at the redemption wallet/)
  assert.equal(await shares(broker), '0')
  assert.equal((await call(broker, 'GET', '/v2/clock')).status, 200)
})

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { call, newFolder } from '../broker.ts'
import { compile } from './compile-token.ts'
import {
  audit,
  balanceOn,
  bought,
  brokerOn,
  completed,
  deployed,
  ISSUER_KEY,
  mint,
  PARTICIPANT,
  PARTICIPANT_KEY,
  REDEMPTION_WALLET,
  requests,
  run,
  send,
  shares,
  startNode,
  unmatchedTransfers,
  until,
} from './stage.ts'

/** The least that a token of somebody else's has; with six decimals, as many have. */
const FOREIGN = `pragma solidity ^0.8.20;
contract Foreign {
  uint8 public constant decimals = 6;
  mapping(address => uint256) public balanceOf;
  address private owner = msg.sender;
  event Transfer(address indexed from, address indexed to, uint256 amount);
  function mint(address to, uint256 amount) external {
    require(msg.sender == owner);
    balanceOf[to] += amount;
    emit Transfer(address(0), to, amount);
  }
  function transfer(address to, uint256 amount) external returns (bool) {
    balanceOf[msg.sender] -= amount;
    balanceOf[to] += amount;
    emit Transfer(msg.sender, to, amount);
    return true;
  }
}`

const node = await startNode()
const { bytecode } = compile('Foreign', FOREIGN)
const given = await deployed(node, ISSUER_KEY, bytecode)
const unknown = await deployed(node, PARTICIPANT_KEY, bytecode)
const folder = newFolder()
const tokens = join(newFolder(), 'tokens.json')
writeFileSync(tokens, JSON.stringify({ AAPLx: given }))
const env = { QUIPU_CHAIN_TOKENS: tokens, QUIPU_CHAIN_CONFIRMATIONS: '3' }
let broker = await brokerOn(node.url, folder, env)
after(async () => {
  await broker.stop()
  await node.close()
})

test('a mint is completed when it is deep enough, and not before', async () => {
  await bought(broker, 'AAPL', '3')
  const id = await mint(broker, '2')
  await until('it is on the chain', async () => (await balanceOn(node, given, PARTICIPANT)) === 2_000_000n)
  node.mine(1)
  const { body } = await call(broker, 'GET', `/v2/tokenization/requests/${id}`)
  assert.equal(body.status, 'pending')
  node.mine(1)
  await completed(broker, id)
})

test('killed before the answer, a contract that takes an id twice still mints once', async () => {
  const sent = Promise.withResolvers<void>()
  node.fate = (method) => {
    if (method !== 'eth_sendRawTransaction') return 'answer'
    sent.resolve()
    return 'swallowAnswer'
  }
  const id = await mint(broker, '1')
  await sent.promise
  await broker.kill()
  node.fate = () => 'answer'
  node.mine(2)
  broker = await brokerOn(node.url, folder, env)
  await completed(broker, id)
  assert.equal(await balanceOn(node, given, PARTICIPANT), 3_000_000n)
})

test('it is redeemed like any other, and stays in the redemption wallet', async () => {
  await send(node, PARTICIPANT_KEY, given, { to: REDEMPTION_WALLET, units: 1_250_000n })
  node.mine(1)
  assert.deepEqual(await requests(broker, 'redeem'), [])
  node.mine(1)
  await until('the shares are back', async () => (await shares(broker)) === '1.25')
  assert.equal(await balanceOn(node, given, REDEMPTION_WALLET), 1_250_000n)
  assert.deepEqual((await audit(broker)).problems, [])
})

test('a token that no issuer has waits for somebody to look at it', async () => {
  // mint(address,uint256), by whoever deployed it.
  const word = (text: string) => text.padStart(64, '0')
  await run(node, PARTICIPANT_KEY, unknown, `0x40c10f19${word(PARTICIPANT.slice(2))}${word('5')}`)
  await send(node, PARTICIPANT_KEY, unknown, { to: REDEMPTION_WALLET, units: 5n })
  node.mine(2)
  const [arrival] = await until('it is on the list', async () => {
    const list = await unmatchedTransfers(broker)
    return list.length > 0 && list
  })
  assert.equal(arrival.contract, unknown)
  assert.equal(arrival.units, '5')
  assert.equal('token_symbol' in arrival, false)
  assert.equal(arrival.problem, 'not a token of an issuer of this world')
})

for (const [what, wallet] of [
  ['with a wrong checksum', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD'],
  ['of nobody', `0x${'0'.repeat(40)}`],
  ['that tokens are redeemed by', REDEMPTION_WALLET],
  ['that is too short', '0x1234567A'],
] as const)
  test(`nothing is minted to a wallet ${what}`, async () => {
    const { status, body } = await call(broker, 'POST', '/v2/tokenization/mint', {
      underlying_symbol: 'AAPL',
      qty: '0.1',
      issuer: 'xstocks',
      network: 'ethereum',
      wallet_address: wallet,
    })
    assert.equal(status, 422)
    assert.match(body.message, /invalid wallet address/)
    assert.equal(await shares(broker), '1.25')
  })

test('the key is told to nobody', () => {
  assert.doesNotMatch(broker.log(), /1{64}/)
})

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { call, newFolder } from '../support/broker.ts'
import { waitUntil } from '../support/wait-until.ts'
import { compile } from './compile-token.ts'
import {
  audit,
  balanceOn,
  buyShares,
  deploy,
  ISSUER_KEY,
  mint,
  PARTICIPANT,
  PARTICIPANT_KEY,
  REDEMPTION_WALLET,
  requests,
  send,
  sendTransaction,
  shares,
  startBrokerOn,
  startNode,
  unmatchedTransfers,
  waitForCompletion,
} from './stage.ts'

/** A minimal token contract of another developer, with six decimals. */
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
const existing = await deploy(node, ISSUER_KEY, bytecode)
const unknown = await deploy(node, PARTICIPANT_KEY, bytecode)
const folder = newFolder()
const tokens = join(newFolder(), 'tokens.json')
writeFileSync(tokens, JSON.stringify({ AAPLx: existing }))
const env = { QUIPU_CHAIN_TOKENS: tokens, QUIPU_CHAIN_CONFIRMATIONS: '3' }
let broker = await startBrokerOn(node.url, folder, env)
after(async () => {
  await broker.stop()
  await node.close()
})

test('a mint is completed after the configured confirmations, not before', async () => {
  await buyShares(broker, 'AAPL', '3')
  const id = await mint(broker, '2')
  await waitUntil(
    'the tokens are on the chain',
    async () => (await balanceOn(node, existing, PARTICIPANT)) === 2_000_000n,
  )
  node.mine(1)
  const { body } = await call(broker, 'GET', `/v2/tokenization/requests/${id}`)
  assert.equal(body.status, 'pending')
  node.mine(1)
  await waitForCompletion(broker, id)
})

test('after a kill before the response, a contract without mint ids still mints once', async () => {
  const sent = Promise.withResolvers<void>()
  node.handling = (method) => {
    if (method !== 'eth_sendRawTransaction') return 'answer'
    sent.resolve()
    return 'loseResponse'
  }
  const id = await mint(broker, '1')
  await sent.promise
  await broker.kill()
  node.handling = () => 'answer'
  node.mine(2)
  broker = await startBrokerOn(node.url, folder, env)
  await waitForCompletion(broker, id)
  assert.equal(await balanceOn(node, existing, PARTICIPANT), 3_000_000n)
})

test('tokens of an existing contract are redeemed and stay in the redemption wallet', async () => {
  await send(node, PARTICIPANT_KEY, existing, { to: REDEMPTION_WALLET, units: 1_250_000n })
  node.mine(1)
  assert.deepEqual(await requests(broker, 'redeem'), [])
  node.mine(1)
  await waitUntil('the shares are returned', async () => (await shares(broker)) === '1.25')
  assert.equal(await balanceOn(node, existing, REDEMPTION_WALLET), 1_250_000n)
  assert.deepEqual((await audit(broker)).problems, [])
})

test('a transfer of an unknown token is unmatched', async () => {
  // mint(address,uint256), by the deployer.
  const word = (text: string) => text.padStart(64, '0')
  await sendTransaction(node, PARTICIPANT_KEY, unknown, `0x40c10f19${word(PARTICIPANT.slice(2))}${word('5')}`)
  await send(node, PARTICIPANT_KEY, unknown, { to: REDEMPTION_WALLET, units: 5n })
  node.mine(2)
  const [transfer] = await waitUntil('the transfer is listed', async () => {
    const list = await unmatchedTransfers(broker)
    return list.length > 0 && list
  })
  assert.equal(transfer.contract, unknown)
  assert.equal(transfer.units, '5')
  assert.equal('token_symbol' in transfer, false)
  assert.equal(transfer.problem, 'not a token of an issuer of this world')
})

for (const [problem, wallet] of [
  ['with a wrong checksum', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD'],
  ['with address zero', `0x${'0'.repeat(40)}`],
  ['that is the redemption wallet', REDEMPTION_WALLET],
  ['that is too short', '0x1234567A'],
] as const)
  test(`a mint to a wallet ${problem} is refused`, async () => {
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

test('the log does not have the private key', () => {
  assert.doesNotMatch(broker.log(), /1{64}/)
})

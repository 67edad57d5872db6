import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { callOf, textsOf, type Word } from '../../server/src/chain/evm-calls.ts'
import { compileToken } from './compile-token.ts'
import type { TestNode } from './node.ts'
import {
  balanceOn,
  ISSUER_KEY,
  PARTICIPANT,
  PARTICIPANT_KEY,
  run,
  STRANGER,
  startNode,
  supplyOn,
  walletOf,
} from './stage.ts'

const artefact = JSON.parse(
  readFileSync(new URL('../../server/src/chain/contract/quipu-token.json', import.meta.url), 'utf8'),
)

test('the artefact is what the compiler makes of the source', () => {
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
  const hash = await run(node, key, to, data)
  return (await node.request('eth_getTransactionReceipt', [hash])) as Receipt
}

const works = async (key: `0x${string}`, signature: string, words: readonly Word[]): Promise<boolean> =>
  (await receiptOf(key, callOf(signature, words), contract)).status === '0x1'

const to = (address: string): Word => ({ address })
const amount = (number: bigint): Word => ({ number })
const id = (digit: string): Word => ({ bytes32: `0x${digit.repeat(64)}` })
const yes = amount(1n)
const no = amount(0n)
const MINT = 'mint(address,uint256,bytes32)'
const SEND = 'transfer(address,uint256)'

const story: readonly (readonly [string, `0x${string}`, string, readonly Word[], boolean])[] = [
  ['a stranger does not mint', PARTICIPANT_KEY, MINT, [to(PARTICIPANT), amount(5n), id('a')], false],
  ['the issuer mints', ISSUER_KEY, MINT, [to(PARTICIPANT), amount(5n), id('a')], true],
  ['the same id mints once', ISSUER_KEY, MINT, [to(PARTICIPANT), amount(5n), id('a')], false],
  [
    'nobody gets tokens at address zero',
    ISSUER_KEY,
    MINT,
    [to(`0x${'0'.repeat(40)}`), amount(5n), id('b')],
    false,
  ],
  ['a holder sends', PARTICIPANT_KEY, SEND, [to(STRANGER), amount(1n)], true],
  ['no more than it has', PARTICIPANT_KEY, SEND, [to(STRANGER), amount(5n)], false],
  ['a stranger does not pause', PARTICIPANT_KEY, 'setPaused(bool)', [yes], false],
  ['the issuer pauses', ISSUER_KEY, 'setPaused(bool)', [yes], true],
  ['nothing is sent in a pause', PARTICIPANT_KEY, SEND, [to(STRANGER), amount(1n)], false],
  ['nor minted', ISSUER_KEY, MINT, [to(PARTICIPANT), amount(5n), id('c')], false],
  ['the pause ends', ISSUER_KEY, 'setPaused(bool)', [no], true],
  ['the list is turned on', ISSUER_KEY, 'setListed(bool)', [yes], true],
  ['who is not on it sends nothing', PARTICIPANT_KEY, SEND, [to(walletOf(ISSUER_KEY)), amount(1n)], false],
  ['one is put on it', ISSUER_KEY, 'setAllowed(address,bool)', [to(PARTICIPANT), yes], true],
  ['and sends to the issuer', PARTICIPANT_KEY, SEND, [to(walletOf(ISSUER_KEY)), amount(2n)], true],
  ['and not to one who is not', PARTICIPANT_KEY, SEND, [to(STRANGER), amount(1n)], false],
  ['a holder does not burn', PARTICIPANT_KEY, 'burn(uint256,bytes32)', [amount(1n), id('d')], false],
  ['the issuer burns what it has', ISSUER_KEY, 'burn(uint256,bytes32)', [amount(2n), id('d')], true],
  ['once', ISSUER_KEY, 'burn(uint256,bytes32)', [amount(0n), id('d')], false],
  ['and no more', ISSUER_KEY, 'burn(uint256,bytes32)', [amount(1n), id('e')], false],
]

for (const [what, key, signature, words, then] of story)
  test(`the contract: ${what}`, async () => assert.equal(await works(key, signature, words), then))

test('the contract: what is left is what was minted and not burned', async () => {
  assert.equal(await supplyOn(node, contract), 3n)
  assert.equal(await balanceOn(node, contract, PARTICIPANT), 2n)
  assert.equal(await balanceOn(node, contract, STRANGER), 1n)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { IssuerCode } from '../ids.ts'
import type { Moment } from '../moment.ts'
import { emptyState } from '../state/state.ts'
import type { Instant } from '../time.ts'
import type { TransferFact } from './facts.ts'
import {
  chainAppliers,
  chainDeciders,
  processedName,
  transferName,
  unmatchedTransfers,
} from './unmatched-transfers.ts'

const moment = { at: 5n as Instant } as Moment
const transfer: TransferFact = {
  fact: 'transfer',
  network: 'base',
  txHash: '0x1',
  logIndex: 3,
  block: 7n,
  address: '0xa',
  wallet: '0xb',
  units: 9n,
  dust: 0n,
  problem: 'no account has minted to this wallet',
  at: 1n as Instant,
}
const redeemed: TransferFact = {
  ...transfer,
  txHash: '0x2',
  redeem: { issuer: 'xstocks' as IssuerCode, accountId: 'a' as never, requestId: 'r' as never },
}

function stateProcessedTo(block: bigint) {
  const state = emptyState()
  state.chain.set(processedName('base'), { fact: 'processed', block, chainId: 1n, salt: '5a17' })
  state.chain.set(transferName('base', '0x1', 3), transfer)
  const { problem: _, ...matched } = redeemed
  state.chain.set(transferName('base', '0x2', 3), matched)
  return state
}
const command = {
  kind: 'resolveUnmatchedTransfer',
  network: 'base',
  txHash: '0x1',
  logIndex: 3,
  note: 'n',
} as const

test('an unmatched transfer is resolved once, with a note', () => {
  const state = stateProcessedTo(7n)
  assert.deepEqual(unmatchedTransfers(state), [transfer])
  const decided = chainDeciders.resolveUnmatchedTransfer(state, moment, command)
  assert.ok(decided.ok)
  assert.deepEqual(decided.value, [
    { kind: 'unmatchedTransferResolved', at: 5n, name: 'transfer/base/0x1:3', transfer, note: 'n' },
  ])
  chainAppliers.unmatchedTransferResolved(state, decided.value[0]!)
  assert.deepEqual(unmatchedTransfers(state), [])
  assert.deepEqual(chainDeciders.resolveUnmatchedTransfer(state, moment, command), {
    ok: false,
    reason: { code: 'unmatchedTransferNotFound' },
  })
})

for (const [what, block, patch] of [
  ['in a block that is not processed yet', 6n, {}],
  ['that became a redeem', 7n, { txHash: '0x2' }],
  ['of another log', 7n, { logIndex: 2 }],
  ['of another network', 7n, { network: 'ethereum' }],
] as const)
  test(`a transfer ${what} cannot be resolved`, () => {
    const state = stateProcessedTo(block)
    assert.ok(!chainDeciders.resolveUnmatchedTransfer(state, moment, { ...command, ...patch }).ok)
  })

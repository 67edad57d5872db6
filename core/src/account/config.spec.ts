import assert from 'node:assert/strict'
import test from 'node:test'
import type { AccountId } from '../ids.ts'
import { TestWorld } from '../testing/world.ts'
import { type AccountConfig, configOf, DEFAULT_CONFIG } from './config.ts'

function openAccount() {
  const world = new TestWorld()
  world.run('open A 1000')
  const accountId = world.accounts.get('A')!
  const change = (changes: Partial<AccountConfig>) =>
    world.submit({ kind: 'changeConfig', accountId, changes })
  return { change, config: () => configOf(world.state.accounts.get(accountId)!), world }
}

test('a new account has the default configuration', () => {
  assert.deepEqual(openAccount().config(), DEFAULT_CONFIG)
})

test('only named fields change', () => {
  const { change, config } = openAccount()
  change({ noShorting: true, maxMarginMultiplier: 2 })
  change({ maxOptionsTradingLevel: 1, noShorting: false })
  assert.deepEqual(config(), { ...DEFAULT_CONFIG, maxMarginMultiplier: 2, maxOptionsTradingLevel: 1 })
})

test('a change to the current value creates no event', () => {
  const { change } = openAccount()
  const first = change({ suspendTrade: true })
  const repeated = change({ suspendTrade: true })
  const nothing = change({})
  assert.deepEqual(
    [first, repeated, nothing].map((decision) => decision.ok && decision.value.length),
    [1, 0, 0],
  )
})

test('an unknown account is refused', () => {
  const decision = openAccount().world.submit({
    kind: 'changeConfig',
    accountId: 'nobody' as AccountId,
    changes: { suspendTrade: true },
  })
  assert.deepEqual(decision, { ok: false, reason: { code: 'accountNotFound' } })
})

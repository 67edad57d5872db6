import assert from 'node:assert/strict'
import test from 'node:test'
import type { AccountId } from '../ids.ts'
import { TestWorld } from '../testing/world.ts'
import { type AccountConfig, configOf, DEFAULT_CONFIG } from './config.ts'

function opened() {
  const world = new TestWorld()
  world.run('open A 1000')
  const accountId = world.accounts.get('A')!
  const change = (changes: Partial<AccountConfig>) =>
    world.submit({ kind: 'changeConfig', accountId, changes })
  return { change, config: () => configOf(world.state.accounts.get(accountId)!), world }
}

test('an account begins with the usual configuration', () => {
  assert.deepEqual(opened().config(), DEFAULT_CONFIG)
})

test('what is named changes, the rest stays', () => {
  const { change, config } = opened()
  change({ noShorting: true, maxMarginMultiplier: 2 })
  change({ maxOptionsTradingLevel: 1, noShorting: false })
  assert.deepEqual(config(), { ...DEFAULT_CONFIG, maxMarginMultiplier: 2, maxOptionsTradingLevel: 1 })
})

test('a change to what is already so leaves no trace', () => {
  const { change } = opened()
  const first = change({ suspendTrade: true })
  const again = change({ suspendTrade: true })
  const nothing = change({})
  assert.deepEqual(
    [first, again, nothing].map((decision) => decision.ok && decision.value.length),
    [1, 0, 0],
  )
})

test('an unknown account has no configuration', () => {
  const decision = opened().world.submit({
    kind: 'changeConfig',
    accountId: 'nobody' as AccountId,
    changes: { suspendTrade: true },
  })
  assert.deepEqual(decision, { ok: false, reason: { code: 'accountNotFound' } })
})

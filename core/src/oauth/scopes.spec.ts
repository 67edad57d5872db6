import assert from 'node:assert/strict'
import test from 'node:test'
import { parseScope, scopesWithin, scopeTextWithin } from './scopes.ts'

for (const [text, then] of [
  ['', ''],
  [' ', ''],
  ['general', ''],
  ['trading', 'trading'],
  ['data trading data', 'data,trading'],
  ['account:write', 'account:write'],
  ['tokenization', 'tokenization'],
  ['general data', 'data'],
  ['Trading', 'unknownScope'],
  ['trading,data', 'unknownScope'],
  ['trading\tdata', 'unknownScope'],
  ['constructor', 'unknownScope'],
  ['__proto__', 'unknownScope'],
] as const)
  test(`the scope "${text}" means ${then || 'reading only'}`, () => {
    const parsed = parseScope(text)
    assert.equal(parsed.ok ? parsed.value.join() : parsed.reason, then)
  })

for (const [text, allowed, then] of [
  ['trading data', ['trading', 'data'], 'trading data'],
  ['general trading data', ['trading'], 'general trading'],
  ['trading', [], ''],
  ['general', [], 'general'],
  ['', ['trading'], ''],
] as const)
  test(`"${text}" for an app with [${allowed}] becomes "${then}"`, () => {
    assert.equal(scopeTextWithin(text, allowed), then)
    const granted = parseScope(text)
    assert.ok(granted.ok)
    assert.deepEqual(parseScope(then), { ok: true, value: scopesWithin(granted.value, allowed) })
  })

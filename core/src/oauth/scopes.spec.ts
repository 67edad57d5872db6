import assert from 'node:assert/strict'
import test from 'node:test'
import { parseScope } from './scopes.ts'

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
  test(`the scope "${text}" is ${then || 'reading only'}`, () => {
    const parsed = parseScope(text)
    assert.equal(parsed.ok ? parsed.value.join() : parsed.reason, then)
  })

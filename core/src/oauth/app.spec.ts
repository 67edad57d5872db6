import assert from 'node:assert/strict'
import test from 'node:test'
import { imitatesQuipu } from './app.ts'

for (const [name, then] of [
  ['Quipu', true],
  ['QUIPU Official', true],
  ['My Quipu', true],
  ['MyQuipu', true],
  ['quipu-support', true],
  ['Q u i p u', true],
  ['Q.U.I.P.U.', true],
  ['Qu1pu', true],
  ['Qulpu', true],
  ['Qu|pu', true],
  ['Qüípù', true],
  ['Ｑｕｉｐｕ', true],
  ['𝐐𝐮𝐢𝐩𝐮', true],
  ['Ⓠⓤⓘⓟⓤ', true],
  ['Quірu', true],
  ['QυΙρυ', true],
  ['Qu\u200bip\u00adu', true],
  ['Chart Lantern', false],
  ['Equip United', false],
  ['Quip', false],
  ['Quick Picks Unlimited', false],
  ['', false],
] as const)
  test(`"${name}" could be taken for Quipu: ${then}`, () => assert.equal(imitatesQuipu(name), then))

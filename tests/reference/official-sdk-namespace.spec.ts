import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Alpaca } from '@alpacahq/alpaca-trade-api'
import { readProofs } from './coverage.ts'

/** Methods of the trading namespace that Quipu does not support: none. */
const unsupported: readonly string[] = []

const proofs = Object.entries(readProofs())
const { trading } = new Alpaca({ keyId: 'nobody', secret: 'nothing' })

/** The prototypes of an object, nearest first. */
function prototypesOf(part: object): object[] {
  const next = Object.getPrototypeOf(part)
  return next === Object.prototype ? [] : [next, ...prototypesOf(next)]
}

/** Method names; the raw form of a method counts as the method. */
const methodsOf = (prototypes: readonly object[]): string[] => [
  ...new Set(
    prototypes
      .flatMap((one) => Object.entries(Object.getOwnPropertyDescriptors(one)))
      .filter(([name, { value }]) => typeof value === 'function' && name !== 'constructor')
      .map(([name]) => name.replace(/Raw$/, '')),
  ),
]

/** The APIs of the namespace: its getters. The last prototype sends requests and is not an API. */
const apis = Object.entries(Object.getOwnPropertyDescriptors(Object.getPrototypeOf(trading)))
  .filter(([, { get }]) => get !== undefined)
  .map(([name]) => [name, prototypesOf(Reflect.get(trading, name)).slice(0, -1)] as const)

const all = [
  ...methodsOf(prototypesOf(trading)),
  ...apis.flatMap(([name, prototypes]) => methodsOf(prototypes).map((method) => `${name}.${method}`)),
]

test('the namespace has the expected number of APIs and methods', () => {
  assert.equal(apis.length, 15)
  assert.equal(all.length, 76)
  for (const method of ['orders.market', 'orders.postOrder', 'submitAndWait', 'iterateActivities'])
    assert(all.includes(method), method)
})

test('every supported method of the trading namespace is used by a test', () => {
  const used = new Set(proofs.flatMap(([, { methods }]) => methods))
  const unused = all.filter((method) => !used.has(method))
  assert.deepEqual(unused.sort(), [...unsupported].sort())
})

test('no proof claims a method that does not exist', () => {
  const known = new Set(all)
  for (const [file, { methods }] of proofs)
    for (const method of methods) assert(known.has(method), `${file}: ${method}`)
})

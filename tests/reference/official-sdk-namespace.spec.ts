import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Alpaca } from '@alpacahq/alpaca-trade-api'
import { proofs } from '../proofs.table.ts'

/** Methods of trading that this broker does not serve. There are none. */
const notServed: readonly string[] = []

const { trading } = new Alpaca({ keyId: 'nobody', secret: 'nothing' })

/** What an object is made of, nearest first. */
function prototypesOf(part: object): object[] {
  const next = Object.getPrototypeOf(part)
  return next === Object.prototype ? [] : [next, ...prototypesOf(next)]
}

/** Methods by name; the raw form of a method is the same method. */
const methodsOf = (prototypes: readonly object[]): string[] => [
  ...new Set(
    prototypes
      .flatMap((one) => Object.entries(Object.getOwnPropertyDescriptors(one)))
      .filter(([name, { value }]) => typeof value === 'function' && name !== 'constructor')
      .map(([name]) => name.replace(/Raw$/, '')),
  ),
]

/** The APIs of the namespace: its getters. The last of their prototypes sends requests and is no API. */
const apis = Object.entries(Object.getOwnPropertyDescriptors(Object.getPrototypeOf(trading)))
  .filter(([, { get }]) => get !== undefined)
  .map(([name]) => [name, prototypesOf(Reflect.get(trading, name)).slice(0, -1)] as const)

const all = [
  ...methodsOf(prototypesOf(trading)),
  ...apis.flatMap(([name, prototypes]) => methodsOf(prototypes).map((method) => `${name}.${method}`)),
]

test('the namespace has what is known of it', () => {
  assert.equal(apis.length, 15)
  assert.equal(all.length, 76)
  for (const method of ['orders.market', 'orders.postOrder', 'submitAndWait', 'iterateActivities'])
    assert(all.includes(method), method)
})

test('every method of the trading namespace that is served is used by a test', () => {
  const used = new Set(proofs.flatMap(({ methods = [] }) => methods))
  const unused = all.filter((method) => !used.has(method))
  assert.deepEqual(unused.sort(), [...notServed].sort())
})

test('no proof claims a method that does not exist', () => {
  const known = new Set(all)
  for (const { file, methods = [] } of proofs)
    for (const method of methods) assert(known.has(method), `${file}: ${method}`)
})

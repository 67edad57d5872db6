import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDurableWorlds } from '@quipu/broker/registry/testing/durable-worlds.ts'
import type { AccountId, MakeBookTransfer, Money } from '@quipu/core'
import type { Refused } from '../../wire/refusal.ts'
import type { Context } from '../context.ts'
import { commandToWorld } from './book-transfers-between-worlds.ts'

test('a journal names another world of the same partner; others answer as if they did not exist', async (t) => {
  const { worlds, add, stranger, partnerId, account, foreign } = await openDurableWorlds(t)
  const [a, other, memory] = [await add('a'), await add('other', stranger), await add('m', partnerId, false)]
  const context = { services: { worlds } } as unknown as Context
  const outcome = async (world: string, from: AccountId, to_world: string, limitedTo = partnerId) => {
    const access = { world: worlds.get(world)!, partnerId, ...(world === 'main' ? { limitedTo } : {}) }
    const what = { kind: 'cash', amount: 1n as Money } as const
    const command: MakeBookTransfer = { kind: 'makeBookTransfer', from, to: account, what }
    try {
      return (await commandToWorld(context, access, { to_world } as never, command)).kind
    } catch (error) {
      const { code, ...fields } = (error as Refused).reason
      return [code, ...Object.values(fields)].join(' ')
    }
  }
  const sent = 'sendBookTransfer'
  for (const [world, from, to, expected] of [
    ['a', a.accountId, 'a', 'makeBookTransfer'],
    ['a', a.accountId, 'main', sent],
    ['main', account, 'a', sent],
    ['other', other.accountId, 'main', sent],
    ['a', a.accountId, 'other', 'worldNotFound other'],
    ['a', a.accountId, 'nowhere', 'worldNotFound nowhere'],
    ['main', account, 'other', 'worldNotFound other'],
    // An account of another partner is not revealed.
    ['main', foreign, 'other', 'accountNotFound'],
    [
      'a',
      a.accountId,
      'm',
      'invalidParameter to_world: world m is not durable; both worlds of a journal must be',
    ],
    [
      'm',
      memory.accountId,
      'a',
      'invalidParameter to_world: world m is not durable; both worlds of a journal must be',
    ],
    // A world in memory of another partner does not exist either.
    ['other', other.accountId, 'm', 'worldNotFound m'],
  ] as const)
    assert.equal(await outcome(world, from, to), expected, `${world} to ${to}`)
  assert.equal(await outcome('main', foreign, 'other', stranger), sent)
})

import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { UserId } from '@quipu/core'
import { call, openTestServer } from '@quipu/server/http/testing/server.ts'
import type { World } from '../world/world.ts'
import type { FailedAttemptLimits, Subject } from './failed-attempts.ts'
import { limitFailedAttempts, networkOf, type Trip } from './failed-attempts.ts'

const app: Subject = { kind: 'app', clientId: 'aa-bb' }
const factor: Subject = { kind: 'factor', world: { id: 'main' } as World, userId: 'u' as UserId }
const user: Subject = { kind: 'user', world: { id: 'main' } as World, name: 'Ann' }

test('wrong credentials are counted by address; other addresses do not wait', () => {
  const failedAttempts = limitFailedAttempts({ failedAttemptsMax: 2 })
  assert.equal(failedAttempts.waitSeconds('a'), 0)
  failedAttempts.wrong('a')
  assert.equal(failedAttempts.waitSeconds('a'), 0)
  failedAttempts.wrong('a')
  assert.ok(failedAttempts.waitSeconds('a') > 0)
  assert.equal(failedAttempts.waitSeconds('b'), 0)
})

test('without a limit there is no wait', () => {
  const failedAttempts = limitFailedAttempts({})
  for (let n = 0; n < 1000; n++) failedAttempts.begin('a', app).wrong()
  assert.equal(failedAttempts.waitSeconds('a', app), 0)
})

/** A clock that the test moves, limits of two per address and three in total, and the reported limits. */
function openLimits(limits: Partial<FailedAttemptLimits> = {}) {
  const clock = { nowMs: 0 }
  const trips: Trip[] = []
  const failedAttempts = limitFailedAttempts(
    {
      appFailedAttemptsMax: 2,
      appFailedAttemptsTotalMax: 3,
      userFailedAttemptsMax: 2,
      userFailedAttemptsTotalMax: 3,
      ...limits,
    },
    (trip) => trips.push(trip),
    () => clock.nowMs,
  )
  return { failedAttempts, clock, trips }
}

for (const subject of [app, user, factor])
  describe(`failed attempts for the kind ${subject.kind}`, () => {
    test('after failed attempts the address waits; the same subject at another address does not', () => {
      const { failedAttempts, clock } = openLimits()
      for (let n = 0; n < 2; n++) failedAttempts.begin('a', subject).wrong()
      assert.equal(failedAttempts.waitSeconds('a', subject), 150)
      assert.equal(failedAttempts.waitSeconds('b', subject), 0)
      clock.nowMs = 150_000
      assert.equal(failedAttempts.waitSeconds('a', subject), 0)
    })

    test('failed attempts from many addresses reach the limit of the subject', () => {
      const { failedAttempts } = openLimits()
      for (const address of ['x', 'y', 'z']) failedAttempts.begin(address, subject).wrong()
      assert.ok(failedAttempts.waitSeconds('fresh', subject) > 0)
    })

    test('successful attempts are not counted', () => {
      const { failedAttempts, trips } = openLimits({ failedAttemptsMax: 2 })
      for (let n = 0; n < 100; n++) failedAttempts.begin('a', subject).right()
      assert.equal(failedAttempts.waitSeconds('a', subject), 0)
      assert.equal(failedAttempts.waitSeconds('a'), 0)
      assert.deepEqual(trips, [])
    })

    test('a limit is reported when it is reached, and never for a successful attempt', () => {
      const { failedAttempts, trips } = openLimits({
        appFailedAttemptsTotalMax: 9,
        userFailedAttemptsTotalMax: 9,
      })
      failedAttempts.begin('a', subject).wrong()
      failedAttempts.begin('a', subject).right()
      assert.equal(trips.length, 0)
      failedAttempts.begin('a', subject).wrong()
      assert.deepEqual(trips, [{ address: 'a', subject }])
      failedAttempts.begin('a', subject).wrong()
      assert.equal(trips.length, 1, 'attempts beyond the limit are not reported again')
    })
  })

test('a browser that signed in before has a separate limit', () => {
  const { failedAttempts } = openLimits({ failedAttemptsMax: 2 })
  failedAttempts.remember(user, 'cookie')
  for (const address of ['home', 'home', 'x', 'y']) failedAttempts.begin(address, user).wrong()
  assert.ok(failedAttempts.waitSeconds('home', user) > 0)
  assert.ok(failedAttempts.waitSeconds('home', user, 'cookie of somebody else') > 0)
  assert.equal(failedAttempts.waitSeconds('home', user, 'cookie'), 0)
  const other: Subject = { ...user, name: 'Ben' } as Subject
  for (let n = 0; n < 2; n++) failedAttempts.begin('home', other).wrong()
  assert.ok(failedAttempts.waitSeconds('home', other, 'cookie') > 0, 'the browser is known for one user')
  for (let n = 0; n < 2; n++) failedAttempts.begin('home', user, 'cookie').wrong()
  assert.ok(failedAttempts.waitSeconds('home', user, 'cookie') > 0)
})

test('a failed attempt within the limits does not wait, one beyond them returns the wait', () => {
  const { failedAttempts } = openLimits()
  assert.deepEqual(
    [1, 2, 3].map(() => failedAttempts.begin('a', app).wrong()),
    [0, 0, 150],
  )
})

test('passwords that are checked at the same time all count as attempts', () => {
  const { failedAttempts } = openLimits()
  const [first, second] = [failedAttempts.begin('a', user), failedAttempts.begin('a', user)]
  assert.ok(failedAttempts.waitSeconds('a', user) > 0)
  second.right()
  assert.equal(failedAttempts.waitSeconds('a', user), 0)
  first.wrong()
  assert.equal(failedAttempts.waitSeconds('a', user), 0)
})

test('an app is the same in any spelling of its id, a user in any spelling of the name', () => {
  const { failedAttempts } = openLimits()
  for (const clientId of ['AABB', 'aa-bb']) failedAttempts.begin('a', { kind: 'app', clientId }).wrong()
  assert.ok(failedAttempts.waitSeconds('a', app) > 0)
  for (const name of [' ANN', 'ann ']) failedAttempts.begin('a', { ...user, name } as Subject).wrong()
  assert.ok(failedAttempts.waitSeconds('a', user) > 0)
})

test('the memory for attempts is bounded, however many names are tried', () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const held = () => {
    collect()
    return process.memoryUsage().heapUsed
  }
  const { failedAttempts } = openLimits()
  const before = held()
  for (let n = 0; n < 25_000; n++) {
    const subject: Subject = { kind: 'app', clientId: `${n}`.padEnd(2000, 'x') }
    failedAttempts.begin(`10.0.${n}`, subject).wrong()
    failedAttempts.begin(`10.1.${n}`, subject).right()
  }
  assert.ok(held() - before < 10_500_000)
  assert.equal(failedAttempts.waitSeconds('nobody'), 0)
})

for (const [address, network] of [
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
  ['::1', '0:0:0:0::/64'],
  ['', ''],
] as const)
  test(`${address || 'no address'} counts as ${network || 'none'}`, () =>
    assert.equal(networkOf(address), network))

const server = await openTestServer({ failedAttempts: { failedAttemptsMax: 3 } })
after(() => server.close())

test('over HTTP, wrong credentials beyond the limit get 429, and right ones pass', async () => {
  const wrong = { keyId: server.key.keyId, secretKey: 'wrong' }
  const none = await call(server, 'GET /v2/account', { key: undefined })
  assert.equal(none.status, 401)
  for (let n = 0; n < 3; n++)
    assert.equal((await call(server, 'GET /v2/account', { key: wrong })).status, 401)
  const refused = await call(server, 'GET /v2/account', { key: wrong })
  assert.equal(refused.status, 429)
  assert.equal(refused.body.code, 42910000)
  assert.match(refused.body.message, /wrong credentials/)
  assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/)
  assert.equal((await call(server, 'GET /v2/account', { key: server.key })).status, 200)
  assert.equal((await call(server, 'GET /v2/account', { key: undefined })).status, 401)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import {
  CHECKS_WAITING_MAX,
  DUMMY_HASH,
  HASHES_AT_ONCE,
  verifyPassword,
} from '@quipu/broker/access/password.ts'
import { authorizeQuery, Browser, openPages, USER } from '../testing/pages.ts'

const SESSION = 'quipu_session'

test('after too many failed sign-ins the page shows how long to wait', async (t) => {
  const limited = await openPages({}, { failedAttempts: { userFailedAttemptsMax: 3 } })
  t.after(() => limited.close())
  const browser = new Browser(limited)
  const request = authorizeQuery(limited)
  for (const _ of [1, 2, 3]) assert.equal((await browser.signIn(request, 'Ada', 'wrong')).status, 400)
  const visit = await browser.signIn(request)
  assert.equal(visit.status, 429)
  const seconds = Number(visit.headers.get('retry-after'))
  assert.ok(seconds > 0 && seconds <= 300, String(seconds))
  assert.match(visit.html, /Try again in \d+ (second|minute)s?\./)
  assert.match(visit.html, /href="sign-in\?request=response_type/)
  assert.equal(browser.cookies.has(SESSION), false)
})

test('failed attempts from the same address do not lock a browser that signed in before', async (t) => {
  const limited = await openPages(
    {},
    { failedAttempts: { userFailedAttemptsMax: 3, userFailedAttemptsTotalMax: 5, failedAttemptsMax: 6 } },
  )
  t.after(() => limited.close())
  const [owner, stranger] = [new Browser(limited), new Browser(limited)]
  const request = authorizeQuery(limited)
  assert.equal((await owner.signIn(request)).status, 303)
  for (const status of [400, 400, 400, 429])
    assert.equal((await stranger.signIn(request, USER, 'wrong')).status, status)
  assert.equal((await stranger.signIn(request)).status, 429, 'an unknown browser must wait')
  owner.cookies.delete(SESSION)
  assert.equal((await owner.signIn(request)).status, 303)
})

test('while too many strangers sign in, only a browser that signed in before gets in, and nobody is locked out', async (t) => {
  const busy = await openPages({}, { failedAttempts: { userFailedAttemptsMax: 2 } })
  t.after(() => busy.close())
  const signIn = async (browser: Browser) => {
    browser.cookies.delete(SESSION)
    return browser.signIn(authorizeQuery(busy), USER)
  }
  const known = new Browser(busy)
  assert.equal((await signIn(known)).status, 303)
  let isOver = false
  const strangers = Array.from({ length: CHECKS_WAITING_MAX + HASHES_AT_ONCE }, async () => {
    // The check of the known browser takes a turn, so one of the strangers finds the queue full too.
    while (!isOver) await verifyPassword('any', DUMMY_HASH, 'stranger').catch(() => setImmediate())
  })
  try {
    for (let count = 0; count < 3; count++) {
      const { status, headers } = await signIn(new Browser(busy))
      assert.deepEqual([status, headers.get('retry-after')], [503, '1'])
    }
    assert.equal((await signIn(known)).status, 303)
  } finally {
    isOver = true
    await Promise.all(strangers)
  }
  assert.equal((await signIn(new Browser(busy))).status, 303, 'what was not checked does not count')
})

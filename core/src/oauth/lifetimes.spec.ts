import assert from 'node:assert/strict'
import test from 'node:test'
import { type Instant, SECOND } from '../time.ts'
import type { App } from './app.ts'
import { isInForce, REFRESH_SECONDS, tokenExpiryOf } from './lifetimes.ts'
import { OAuthFixture } from './testing/oauth.ts'

const at = 1_000n as Instant

for (const [settings, token, refresh] of [
  [{}, undefined, undefined],
  [{ refreshSeconds: 60 }, undefined, undefined],
  [{ tokenSeconds: 1 }, 1, REFRESH_SECONDS],
  [{ tokenSeconds: 900, refreshSeconds: 60 }, 900, 60],
] as const)
  test(`with ${JSON.stringify(settings)} a token is valid for ${token ?? 'unlimited'} s, its refresh token for ${refresh} s`, () => {
    const ends = tokenExpiryOf(settings as Partial<App> as App, at)
    const seconds = (end: Instant | undefined) =>
      end === undefined ? undefined : Number((end - at) / SECOND)
    assert.deepEqual([seconds(ends?.expiresAt), seconds(ends?.refreshExpiresAt)], [token, refresh])
  })

for (const [seconds, isExchanged, then] of [
  [59, false, true],
  [60, false, false],
  [60, true, true],
] as const)
  test(`a grant with ${isExchanged ? 'an exchanged' : 'an unused'} code, after ${seconds} s, is ${then ? '' : 'not '}in force`, () => {
    const fixture = new OAuthFixture()
    const code = fixture.authorize()
    if (isExchanged) fixture.exchange(code)
    const [grant] = fixture.state.grants.values()
    assert.equal(isInForce(grant!, (grant!.createdAt + BigInt(seconds) * SECOND) as Instant), then)
  })

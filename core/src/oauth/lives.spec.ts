import assert from 'node:assert/strict'
import test from 'node:test'
import { type Instant, SECOND } from '../time.ts'
import type { App } from './app.ts'
import { endsOf, REFRESH_SECONDS } from './lives.ts'

const at = 1_000n as Instant

for (const [settings, token, refresh] of [
  [{}, undefined, undefined],
  [{ refreshSeconds: 60 }, undefined, undefined],
  [{ tokenSeconds: 1 }, 1, REFRESH_SECONDS],
  [{ tokenSeconds: 900, refreshSeconds: 60 }, 900, 60],
] as const)
  test(`with ${JSON.stringify(settings)} a token lasts ${token ?? 'for ever'}, and may be refreshed for ${refresh}`, () => {
    const ends = endsOf(settings as Partial<App> as App, at)
    const seconds = (end: Instant | undefined) =>
      end === undefined ? undefined : Number((end - at) / SECOND)
    assert.deepEqual([seconds(ends?.expiresAt), seconds(ends?.refreshExpiresAt)], [token, refresh])
  })

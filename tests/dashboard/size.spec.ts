import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openStage, signedIn } from './stage.ts'

const KILOBYTES_MAX = 150

await openStage()

test(`Home loads less than ${KILOBYTES_MAX} kB of compressed scripts, and nothing from other hosts`, async (t) => {
  const scripts = new Map<string, Promise<number>>()
  const hosts = new Set<string>()
  const page = await signedIn(t)
  page.on('response', (response) => {
    const url = new URL(response.url())
    hosts.add(url.hostname)
    if (url.pathname.endsWith('.js'))
      scripts.set(
        url.pathname,
        response
          .request()
          .sizes()
          .then(({ responseBodySize }) => responseBodySize),
      )
  })
  // A route makes the browser load what it has in its cache.
  await page.route('**', (route) => route.continue())
  await page.reload()
  await page.getByText('Buying power').first().waitFor()
  const sizes = await Promise.all(scripts.values())
  const total = sizes.reduce((sum, size) => sum + size, 0)
  assert.ok(total > 10_000 && total < KILOBYTES_MAX * 1000, `${total} bytes in ${[...scripts.keys()].join()}`)
  assert.deepEqual([...hosts], ['quipu.localhost'])
  assert.ok(![...scripts.keys()].some((name) => /chart-library|lightweight/.test(name)))
})

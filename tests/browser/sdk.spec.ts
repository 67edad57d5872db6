import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { stripTypeScriptTypes } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { startBroker } from '../broker.ts'
import { built } from '../sdk/installed.ts'
import { observed } from '../sdk/whole-surface.ts'
import { commonBrowser } from './chromium.ts'

test('a page observes with the packed SDK what a program observes', async (t) => {
  const files: Record<string, string> = {
    '/': '<!doctype html><title>page</title>',
    '/sdk.js': readFileSync(join(built, 'index.js'), 'utf8'),
    '/surface.js': stripTypeScriptTypes(
      readFileSync(join(import.meta.dirname, '..', 'sdk', 'whole-surface.ts'), 'utf8'),
    ),
  }
  const server = createServer(({ url = '' }, response) => {
    response.setHeader('content-type', url.endsWith('.js') ? 'text/javascript' : 'text/html')
    response.writeHead(url in files ? 200 : 404).end(files[url])
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => server.close())
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const broker = await startBroker(['--data', 'memory', '--cors', origin])
  t.after(broker.stop)
  const page = await (await commonBrowser()).newPage()
  t.after(() => page.close())
  const problems: string[] = []
  page.on('console', (line) => problems.push(line.text()))
  await page.goto(`${origin}/`)
  const { url, keyId, secretKey } = broker
  const program = `Promise.all([import('/sdk.js'), import('/surface.js')]).then(([sdk, { observe }]) =>
    observe(sdk, ${JSON.stringify({ url, keyId, secretKey })}))`
  const seen = await page.evaluate(program).catch((error) => assert.fail(`${error}\n${problems.join('\n')}`))
  assert.deepEqual(seen, observed)
})

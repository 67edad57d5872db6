import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { withoutProxies } from '../run-command/run-process.ts'
import { call, plainEnvironment, startBroker } from '../support/broker.ts'
import { program } from '../support/program.ts'
import { commonBrowser, REBOUND_HOST } from './chromium.ts'

test('a page whose name leads to this machine does not trade through the gateway of a run', async (t) => {
  // A broker that other machines reach cannot know its names, so it accepts every Host.
  const broker = await startBroker(['--data', 'memory', '--host', '0.0.0.0'])
  t.after(() => broker.stop())
  const { port } = new URL(broker.url)
  const url = `http://127.0.0.1:${port}`
  const text =
    'console.log(process.env.HTTPS_PROXY, process.env.APCA_API_KEY_ID, process.env.APCA_API_SECRET_KEY); process.stdin.resume()'
  const child = spawn(process.execPath, [program, 'run', '--url', url, '--', process.execPath, '-e', text], {
    env: withoutProxies(
      plainEnvironment({ QUIPU_BROKER_KEY: broker.brokerKey, QUIPU_BROKER_SECRET: broker.brokerSecret }),
    ),
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  t.after(() => child.kill())
  const ended = once(child, 'exit')
  const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string]
  const [proxy = '', keyId = '', secretKey = ''] = line.trim().split(' ')

  const context = await (await commonBrowser()).newContext({ bypassCSP: true })
  t.after(() => context.close())
  const page = await context.newPage()
  const origin = `http://${REBOUND_HOST}:${new URL(proxy).port}`
  // Whatever is shown: the script of the attacker runs with the rights of this origin.
  await page.goto(`${origin}/`)
  const status = await page.evaluate(async () => {
    const order = { symbol: 'AAPL', qty: '1', side: 'buy', type: 'market', time_in_force: 'day' }
    const response = await fetch('/v2/orders', {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'APCA-API-KEY-ID': 'PKANY',
        'APCA-API-SECRET-KEY': 'any',
      },
      body: JSON.stringify(order),
    })
    return response.status
  })
  assert.equal(status, 403)
  const { body } = await call({ url, keyId, secretKey }, 'GET', '/v2/orders?status=all')
  assert.deepEqual(body, [])
  child.stdin.end()
  await ended
})

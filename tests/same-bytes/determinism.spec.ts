import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nodeProgram } from '../programs/install.ts'
import { startBroker } from '../support/broker.ts'
import { program, serverNode } from '../support/program.ts'
import { runScript, type ScriptOutput } from './determinism-script.ts'

/** Runs the script on a new broker. */
async function run(env: Readonly<Record<string, string>> = {}, node = serverNode): Promise<ScriptOutput> {
  const broker = await startBroker(['--data', 'memory'], env, program, node)
  try {
    return await runScript(broker)
  } finally {
    await broker.stop()
  }
}

const first = await run()

test('the script has accepted and refused requests of every kind, and the audit is sound', () => {
  const { responses, frames, audits } = first
  const results = new Set(responses.map(({ call, status }) => `${status} ${call.split('?')[0]}`))
  for (const one of [
    '200 POST /v2/orders',
    '403 POST /v2/orders',
    '422 POST /v2/orders',
    '200 POST /v2/tokenization/mint',
    '400 POST /v2/tokenization/mint',
    '422 POST /v2/tokenization/mint',
    '200 POST /oauth/token',
    '400 POST /oauth/token',
    '422 POST /v1/oauth/token',
    '200 POST /v1/accounts',
    '409 POST /v1/accounts',
    '200 POST /v1/journals',
    '403 POST /v1/journals',
    '200 GET /v1/journals',
    '200 GET /v2/stocks/candles',
  ])
    assert.ok(results.has(one), one)
  const events = new Set(frames['updates']!.map(({ data }) => data.event))
  for (const event of ['pending_new', 'new', 'partial_fill', 'fill', 'canceled', 'expired'])
    assert.ok(events.has(event), event)
  assert.ok(frames['application/json']!.length > 1000)
  assert.deepEqual(
    audits.map(({ sound }) => sound),
    [true, true],
  )
})

/** Only `npm run test:long` installs Node 26. */
const node26 = process.env['RUN_NODES'] === 'all' ? [nodeProgram(26)] : []

for (const [environment, env, node] of [
  [
    'in another process with another time zone and locale',
    { TZ: 'Pacific/Auckland', LC_ALL: 'tr_TR.UTF-8', LANG: 'ar_EG.UTF-8' },
    serverNode,
  ],
  ...node26.map((node) => ['on Node 26', {}, node] as const),
] as readonly (readonly [string, Record<string, string>, string | undefined])[])
  test(`the same script ${environment}: the same bodies, frames and journal hash`, {
    skip: !node,
  }, async () => {
    const again = await run(env, node)
    assert.deepEqual(again.responses, first.responses)
    for (const stream of Object.keys(first.frames))
      assert.deepEqual(again.frames[stream], first.frames[stream], stream)
    assert.deepEqual(again.audits, first.audits)
  })

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { createClient } from '@quipu/sdk'
import { runScenario } from '../server/src/scenario/run.ts'
import { shippedNames, shippedScenario } from '../server/src/scenario/shipped.ts'
import { broker } from './shared-broker.ts'

const { url, brokerKey: keyId, brokerSecret: secretKey } = broker
const operator = createClient({ url, keyId, secretKey })

test('the guide lists every scenario that ships', () => {
  const guide = readFileSync(new URL('../docs/guides/scenarios.md', import.meta.url), 'utf8')
  const listed = [...guide.matchAll(/^\| `([a-z-]+)` \| [A-Z]/gm)].map(([, name]) => name!)
  assert.deepEqual(
    shippedNames().filter((name) => !listed.includes(name)),
    [],
  )
})

for (const name of shippedNames())
  test(`${name} passes, and twice with the same journal hash`, async () => {
    const file = (await shippedScenario(name))!
    assert.equal(file.scenario.name, name)
    const first = await runScenario({ url, operator }, file)
    assert.deepEqual(first.failures, [])
    const second = await runScenario({ url, operator }, file)
    assert.equal(second.journal_hash, first.journal_hash)
    assert.deepEqual(second.timeline, first.timeline)
  })

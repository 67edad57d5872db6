import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { scenarioSchema } from '@quipu/contract'
import { createClient } from '@quipu/sdk'
import { runScenario } from '../../cli/src/scenario/run.ts'
import { parseScenario } from '../../server/src/scenarios/parse.ts'
import { shippedNames, shippedScenario } from '../../server/src/scenarios/shipped.ts'
import { casesOf } from '../support/cases.ts'
import { broker } from '../support/shared-broker.ts'

const { url, brokerKey: keyId, brokerSecret: secretKey } = broker
const operator = createClient({ url, keyId, secretKey })

const textOf = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const guide = textOf('docs/guides/scenarios.md')

test('the guide lists every scenario that ships', () => {
  const listed = [...guide.matchAll(/^\| `([a-z-]+)` \| [A-Z]/gm)].map(([, name]) => name!)
  assert.deepEqual(
    shippedNames().filter((name) => !listed.includes(name)),
    [],
  )
})

type Validate = ((value: unknown) => boolean) & { readonly errors?: unknown }

/** An independent validator, as editors use one. */
function validator(): Validate {
  const require = createRequire(import.meta.resolve('@seriousme/openapi-schema-validator'))
  const { default: Ajv } = require('ajv/dist/2020.js')
  return new Ajv({ strict: false, validateFormats: false }).compile(scenarioSchema())
}

test('the JSON Schema accepts every scenario that ships, and refuses a typing error', async () => {
  const validate = validator()
  for (const name of shippedNames())
    assert.ok(validate((await shippedScenario(name))!.wire), `${name}: ${JSON.stringify(validate.errors)}`)
  const { wire } = (await shippedScenario('halt'))!
  assert.equal(validate({ ...wire, steps: [{ plase: {} }] }), false)
  assert.equal(validate({ ...wire, world: { hours: 'sometimes' } }), false)
})

const repeated = casesOf(shippedNames(), 2)

for (const name of shippedNames())
  test(`${name} passes${repeated.includes(name) ? ', and twice with the same journal hash' : ''}`, async () => {
    const file = (await shippedScenario(name))!
    assert.equal(file.scenario.name, name)
    const first = await runScenario({ url, operator }, file)
    assert.deepEqual(first.failures, [])
    if (!repeated.includes(name)) return
    const second = await runScenario({ url, operator }, file)
    assert.equal(second.journal_hash, first.journal_hash)
    assert.deepEqual(second.timeline, first.timeline)
  })

for (const [name, text] of [
  ['the file of the guide', /```yaml\n(# yaml[\s\S]*?)```/.exec(guide)![1]!],
  ['examples/crash.yml', textOf('examples/crash.yml')],
] as const)
  test(`${name} passes`, async () => {
    const { failures } = await runScenario({ url, operator }, parseScenario(text, name))
    assert.deepEqual(failures, [])
  })

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openApi } from '@quipu/contract'
import { newFolder } from '../support/broker.ts'
import { command } from '../support/quipu-command.ts'

const folder = newFolder()
function file(name: string, text: string): string {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

const diff = (path: string, ...flags: readonly string[]) => command(['contract', 'diff', path, ...flags])

test('the document of this program has no difference, with exit code 0', async () => {
  const own = file('own.json', JSON.stringify(openApi({ version: '1', url: 'http://127.0.0.1:7878' })))
  const { code, stdout } = await diff(own)
  assert.match(
    stdout,
    /^\d+ operations in the file, \d+ of them in Quipu, 0 differences that Quipu lacks, 0 that only Quipu has\n$/,
  )
  assert.equal(code, 0)
})

const yaml = `openapi: 3.0.0
servers: [{ url: 'https://paper-api.alpaca.markets' }]
paths:
  /v2/account/activities:
    get:
      parameters:
        - { in: query, name: activity_types, schema: { type: array, items: { $ref: '#/components/schemas/Kind' } } }
        - { in: query, name: moon, schema: { type: string } }
      responses: { '200': { description: ok } }
  /v2/moon:
    post: { responses: { '200': { description: ok } } }
components:
  schemas:
    Kind: { type: string, enum: [FILL, REO, MOON] }
`

test('a YAML document: what Quipu lacks is listed, with exit code 1', async () => {
  const path = file('protocol.yaml', yaml)
  const { code, stdout } = await diff(path)
  assert.deepEqual(stdout.trimEnd().split('\n').slice(0, -1), [
    'POST /v2/moon: only in the file',
    'GET /v2/account/activities: query moon: only in the file',
    'GET /v2/account/activities: query activity_types: only in the file MOON',
  ])
  assert.equal(code, 1)
  const all = JSON.parse((await diff(path, '--all', '--json')).stdout)
  assert.equal(all.shared, 1)
  assert.ok(all.differences.some((one: { onlyIn?: string }) => one.onlyIn === 'quipu'))
})

test('a file that is missing or no OpenAPI document is refused', async () => {
  for (const [path, expected] of [
    [join(folder, 'none.yaml'), /none\.yaml: ENOENT/],
    [file('text.yaml', 'hello'), /text\.yaml: expected an OpenAPI document with paths/],
    [file('broken.json', '{ "paths": '), /broken\.json: /],
  ] as const) {
    const { code, stderr } = await diff(path)
    assert.match(stderr, expected)
    assert.equal(code, 1)
  }
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openApi, operations } from '@quipu/contract'
import { Validator } from '@seriousme/openapi-schema-validator'

const document = openApi({ version: '1.2.3', url: 'http://127.0.0.1:7878' })

test('the OpenAPI document is valid', async () => {
  // The validator changes its input, so it gets a copy; the copy also shows that the document is plain JSON.
  const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(document)))
  assert.equal(valid, true, JSON.stringify(errors, null, 2))
})

test('every operation is in the OpenAPI document once', () => {
  const paths = document['paths'] as Record<string, Record<string, { operationId: string }>>
  const listed = Object.values(paths).flatMap((item) =>
    Object.values(item).map(({ operationId }) => operationId),
  )
  assert.deepEqual(listed.sort(), Object.keys(operations).sort())
})

test('every reference of the OpenAPI document resolves', () => {
  const text = JSON.stringify(document)
  for (const [, path = ''] of text.matchAll(/"\$ref":"#\/([^"]+)"/g)) {
    let target: unknown = document
    for (const step of path.split('/')) target = (target as Record<string, unknown>)[step]
    assert.ok(target && Object.keys(target).length > 0, path)
  }
  assert.ok(!text.includes('"component"'))
})

test('every operation that needs a credential accepts a key pair, Basic or a bearer token, each listed once', () => {
  type Listed = { readonly operationId: keyof typeof operations; readonly security: readonly object[] }
  const paths = document['paths'] as Record<string, Record<string, Listed>>
  for (const { operationId, security } of Object.values(paths).flatMap((item) => Object.values(item))) {
    const schemes = security.map((scheme) => Object.keys(scheme).join())
    const { who } = operations[operationId]
    const isOpen = who.some((one) => one === 'anyone' || one === 'visitor')
    const expected = who.every((one) => one === 'anyone') ? [''] : ['basic', 'bearer', 'keyId,secretKey']
    assert.deepEqual(
      [...schemes].sort(),
      isOpen && expected.length > 1 ? ['', ...expected] : expected,
      `${operationId} for ${who}`,
    )
  }
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openApi, operations } from '@quipu/contract'
import { Validator } from '@seriousme/openapi-schema-validator'

const document = openApi({ version: '1.2.3', url: 'http://127.0.0.1:7878' })

test('the OpenAPI document is valid', async () => {
  // The validator takes the document as its own, so it gets a copy, which also shows that it is plain JSON.
  const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(document)))
  assert.equal(valid, true, JSON.stringify(errors, null, 2))
})

test('every operation stands in the OpenAPI document once', () => {
  const paths = document['paths'] as Record<string, Record<string, { operationId: string }>>
  const listed = Object.values(paths).flatMap((item) =>
    Object.values(item).map(({ operationId }) => operationId),
  )
  assert.deepEqual(listed.sort(), Object.keys(operations).sort())
})

test('every reference of the OpenAPI document leads somewhere', () => {
  const text = JSON.stringify(document)
  for (const [, path = ''] of text.matchAll(/"\$ref":"#\/([^"]+)"/g)) {
    let at: unknown = document
    for (const step of path.split('/')) at = (at as Record<string, unknown>)[step]
    assert.ok(at && Object.keys(at).length > 0, path)
  }
  assert.ok(!text.includes('"component"'))
})

test('every operation that needs a credential takes a key pair, Basic or a bearer token, each named once', () => {
  type Listed = { readonly operationId: keyof typeof operations; readonly security: readonly object[] }
  const paths = document['paths'] as Record<string, Record<string, Listed>>
  for (const { operationId, security } of Object.values(paths).flatMap((item) => Object.values(item))) {
    const ways = security.map((way) => Object.keys(way).join())
    const { who } = operations[operationId]
    const isOpen = who.some((one) => one === 'anyone' || one === 'visitor')
    const wanted = who.every((one) => one === 'anyone') ? [''] : ['basic', 'bearer', 'keyId,secretKey']
    assert.deepEqual(
      [...ways].sort(),
      isOpen && wanted.length > 1 ? ['', ...wanted] : wanted,
      `${operationId} for ${who}`,
    )
  }
})

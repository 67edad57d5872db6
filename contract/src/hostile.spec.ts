import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { problemResponse } from './error-responses.ts'
import type { Operation } from './operation.ts'
import { operations } from './operations.ts'
import { parseInput, type RawRequest, readQuery } from './parse.ts'
import { makeRouter } from './router.ts'

const declared = Object.entries<Operation>(operations)
const route = makeRouter(operations)

/** Any JSON, and records that use the names of the fields, so that random values reach them. */
function anyPart(fields: Readonly<Record<string, unknown>> | undefined): fc.Arbitrary<unknown> {
  const names = Object.keys(fields ?? {})
  if (names.length === 0) return fc.jsonValue()
  const value = fc.oneof(fc.jsonValue(), fc.string({ unit: 'binary' }), fc.constant('1'), fc.double())
  return fc.oneof(fc.jsonValue(), fc.dictionary(fc.constantFrom(...names), value))
}

const fieldsOf = (part: unknown) =>
  (part as { readonly fields?: Record<string, unknown> } | undefined)?.fields

for (const [name, operation] of declared) {
  test(`${name} accepts or refuses any input `, () => {
    const requests = fc.record({
      params: anyPart(fieldsOf(operation.params)),
      query: anyPart(fieldsOf(operation.query)),
      headers: anyPart(fieldsOf(operation.headers)),
      body: anyPart(fieldsOf(operation.body)),
    })
    fc.assert(
      fc.property(requests, (request) => {
        const { problems } = parseInput(operation, request as RawRequest)
        if (problems.length === 0) return
        const { status, body } = problemResponse(operation.family, problems)
        assert.ok([400, 404, 422].includes(status))
        assert.ok(body.message.length > 0 && body.message.length < 1500)
      }),
      { numRuns: Math.ceil(60 * Number(process.env['PROPERTY_FACTOR'] ?? 0.4)) },
    )
  })
}

test('any path and any query can be parsed', () => {
  const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.webPath(), fc.webQueryParameters())
  fc.assert(
    fc.property(fc.constantFrom('GET', 'POST', 'DELETE', 'BREW'), text, (method, path) => {
      route(method, path)
      route(method, `/${path}`)
      route(method, `/v2/orders/${path}`)
      for (const value of Object.values(readQuery(path))) assert.notEqual(value, '')
    }),
  )
})

test('a query cannot change a prototype', () => {
  readQuery('__proto__=1&__proto__.polluted=1&constructor.prototype.polluted=1')
  const record: Record<string, unknown> = {}
  assert.equal(record['polluted'], undefined)
})

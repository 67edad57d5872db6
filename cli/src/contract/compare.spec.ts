import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openApi } from '@quipu/contract'
import { compareContracts, differenceLine } from './compare.ts'
import { NotOpenApi, operationsOf } from './open-api.ts'

const text = { type: 'string' }
const json = (schema: unknown) => ({ content: { 'application/json': { schema } } })
const document = (paths: object, components: object = {}) => ({ openapi: '3.1.0', paths, components })

const linesOf = (file: object, quipu: object): readonly string[] =>
  compareContracts(operationsOf(file), operationsOf(quipu)).differences.map(differenceLine)

const order = { type: 'object', properties: { id: text, side: { enum: ['buy', 'sell'] } } }
const orders = (schema: unknown, query: readonly string[] = []) => ({
  '/v2/orders/{order_id}': {
    parameters: [{ in: 'path', name: 'order_id', schema: text }],
    get: {
      parameters: query.map((name) => ({ in: 'query', name, schema: text })),
      responses: { 200: json(schema), 404: json({ properties: { code: text } }) },
    },
  },
})

test('the contract does not differ from its own document', () => {
  const own = openApi({ version: '1', url: 'http://127.0.0.1' })
  assert.deepEqual(linesOf(own, own), [])
  assert.ok(operationsOf(own).size > 200)
})

test('operations, parameters, fields and enumerations that differ are listed', () => {
  const wider = {
    type: 'object',
    properties: {
      id: text,
      side: { enum: ['buy', 'sell', 'sell_short'] },
      legs: { type: 'array', items: { type: 'object', properties: { ratio: text } } },
    },
  }
  const file = document({ ...orders(wider, ['nested']), '/v2/orders': { post: { responses: {} } } })
  assert.deepEqual(linesOf(file, document(orders(order))), [
    'POST /v2/orders: only in the file',
    'GET /v2/orders/{order_id}: query nested: only in the file',
    'GET /v2/orders/{order_id}: response legs: only in the file',
    'GET /v2/orders/{order_id}: response side: only in the file sell_short',
  ])
  assert.deepEqual(linesOf(document(orders(order)), file), [
    'POST /v2/orders: only in Quipu',
    'GET /v2/orders/{order_id}: query nested: only in Quipu',
    'GET /v2/orders/{order_id}: response legs: only in Quipu',
    'GET /v2/orders/{order_id}: response side: only in Quipu sell_short',
  ])
})

test('names of path parameters, references, variants and the path of the server do not matter', () => {
  const file = {
    servers: [{ url: 'https://api.example/v2/' }],
    paths: {
      '/orders/{id}': {
        get: { responses: { 200: { $ref: '#/components/responses/One' } } },
      },
    },
    components: {
      responses: {
        One: json({ allOf: [{ $ref: '#/components/schemas/Side' }, { $ref: '#/components/schemas/Id' }] }),
      },
      schemas: {
        Id: { properties: { id: text } },
        Side: { properties: { side: { enum: ['sell', 'buy'] } } },
      },
    },
  }
  assert.deepEqual(linesOf(file, document(orders(order))), [])
})

test('a schema that contains itself ends, and fields of other records are not repeated', () => {
  const node = {
    properties: { id: text, legs: { type: 'array', items: { $ref: '#/components/schemas/Node' } } },
  }
  const file = document(orders({ $ref: '#/components/schemas/Node' }), { schemas: { Node: node } })
  assert.deepEqual(linesOf(file, document(orders(order))), [
    'GET /v2/orders/{order_id}: response legs: only in the file',
    'GET /v2/orders/{order_id}: response side: only in Quipu',
  ])
})

test('operations below other paths are counted only', () => {
  const quipu = document({ ...orders(order), '/sim/v1/worlds': { get: {} } })
  const { differences, others, shared } = compareContracts(
    operationsOf(document(orders(order))),
    operationsOf(quipu),
  )
  assert.deepEqual([differences, others, shared], [[], 1, 1])
})

test('a document without paths is refused', () => {
  assert.throws(() => operationsOf({ swagger: '2.0' }), NotOpenApi)
})

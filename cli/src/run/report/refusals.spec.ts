import assert from 'node:assert/strict'
import test from 'node:test'
import { refusedByCause } from './refusals.ts'

const refused = (method: string, path: string, status: number, reason?: string, message = `of ${path}`) => ({
  method,
  path,
  status,
  message,
  reason,
  requestId: 'a1',
})

test('refused requests are counted by their cause; a lookup that found nothing is not one of them', () => {
  const { refusals, lookups_not_found } = refusedByCause([
    refused('POST', '/v2/orders', 403, 'insufficientBuyingPower', 'needs 10'),
    refused('POST', '/v2/orders', 403, 'insufficientBuyingPower', 'needs 20'),
    refused('POST', '/v2/orders', 422, 'assetNotFound'),
    refused('DELETE', '/v2/orders/1', 404, 'orderNotFound'),
    refused('GET', '/v2/positions/KO', 404, 'positionNotFound'),
    refused('GET', '/v2/assets/ZQXW', 404),
    refused('GET', '/v2/v2/orders', 404, 'endpointNotFound'),
    refused('POST', '/a', 500, undefined, 'one'),
    refused('POST', '/b', 500, undefined, 'two'),
  ])
  assert.deepEqual(
    refusals.map(({ cause, count }) => [cause, count]),
    [
      ['insufficientBuyingPower', 2],
      ['assetNotFound', 1],
      ['orderNotFound', 1],
      ['endpointNotFound', 1],
      ['500 one', 1],
      ['500 two', 1],
    ],
  )
  assert.deepEqual(refusals[0], {
    cause: 'insufficientBuyingPower',
    method: 'POST',
    path: '/v2/orders',
    status: 403,
    message: 'needs 10',
    count: 2,
  })
  assert.equal(lookups_not_found, 2)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { problemResponse } from './error-responses.ts'
import { errors } from './errors.table.ts'
import { openApi } from './openapi.ts'
import { type OperationName, operations } from './operations.ts'
import { parseInput, type RawRequest, readQuery } from './parse.ts'

// biome-ignore lint/suspicious/noExplicitAny: the test reads deep fields of the document
type Json = any
const nothing: RawRequest = { params: {}, query: {}, headers: {}, body: undefined }
const queryOf = (query: string): Partial<RawRequest> => ({ query: readQuery(query) })
const mint = {
  underlying_symbol: 'AAPL',
  qty: '1',
  issuer: 'xstocks',
  network: 'solana',
  wallet_address: 'w',
}
type Row = readonly [name: OperationName, request: Partial<RawRequest>, then: string]

const calls: readonly Row[] = [
  ['postTokenizationMint', { body: mint }, 'fine'],
  ['postTokenizationMint', { body: { ...mint, issuer: 'acme-2' } }, 'fine'],
  ['postTokenizationMint', { body: { ...mint, qty: 1.5, issuer_request_id: 'x' } }, 'fine'],
  [
    'postTokenizationMint',
    { body: { ...mint, issuer: undefined, network: undefined } },
    '422 42210001 issuer is required, network is required',
  ],
  [
    'postTokenizationMint',
    { body: { ...mint, issuer: 'two words', network: 'Base' } },
    '422 42210001 invalid issuer, invalid network',
  ],
  ...['1e3', '+1', '1.', '.5', '.', ' 1', '1 ', '1_000', '0x1', '-1', '9'.repeat(16)].map(
    (qty): Row => ['postTokenizationMint', { body: { ...mint, qty } }, '422 42210001 invalid qty'],
  ),
  [
    'postTokenizationMint',
    { body: { ...mint, qty: '1.0000000000' } },
    '400 40010000 qty must have at most 9 decimal places',
  ],
  ['postTokenizationMint', { body: { ...mint, qty: '0' } }, '422 42210001 qty must be > 0'],
  ['postTokenizationMint', { body: { ...mint, qty: undefined } }, '422 42210001 qty is required'],
  [
    'postTokenizationMint',
    { body: { ...mint, qty: '0.0000000001' } },
    '400 40010000 qty must have at most 9 decimal places',
  ],
  [
    'postTokenizationMint',
    { body: mint, headers: { 'idempotency-key': 'a b' } },
    '400 40010000 Idempotency-Key must be 1 to 128 printable ASCII characters without spaces',
  ],
  ['postTokenizationMint', { body: mint, headers: { 'idempotency-key': ` ${'k'.repeat(128)} ` } }, 'fine'],
  [
    'postTokenizationMint',
    { body: mint, headers: { 'idempotency-key': 'k'.repeat(129) } },
    '400 40010000 Idempotency-Key must be 1 to 128 printable ASCII characters without spaces',
  ],
  [
    'getTokenizationRequests',
    queryOf('after=soon&type=burn'),
    '422 42210001 invalid type, failed to parse after',
  ],
  ['getTokenizationRequests', queryOf('after=&before=&type=mint'), 'fine'],
  ['getTokenizationRequests', queryOf('underlyingSymbol=AAPL'), 'fine'],
  ...['2026-01-31', '2026-01-31T14:30:00', '2026-01-31T14:30'].flatMap((time): Row[] => [
    ['getTokenizationRequests', queryOf(`after=${time}`), '422 42210001 failed to parse after'],
    ['getTokenizationRequests', queryOf(`before=${time}`), '422 42210001 failed to parse before'],
  ]),
  ...['2026-01-31T14:30:00Z', '2026-01-31T14:30:00.000000001-05:00', '2026-01-31T14:30:00+01:00'].map(
    (time): Row => ['getTokenizationRequests', queryOf(`after=${time}`), 'fine'],
  ),
  [
    'getTokenizationRequest',
    { params: { tokenization_request_id: '1' } },
    '422 42210001 tokenization_request_id must be a valid UUID',
  ],
  [
    'getTokenizationRequestByClientRequestID',
    {},
    '422 42210001 client_request_id query parameter is required',
  ],
]

for (const [name, request, then] of calls)
  test(`${name} with ${JSON.stringify(request).slice(0, 120)} returns ${then}`, () => {
    const operation = operations[name]
    const { problems } = parseInput(operation, { ...nothing, ...request })
    const { status, body } = problemResponse(operation.family, problems)
    assert.equal(problems.length === 0 ? 'fine' : `${status} ${body.code} ${body.message}`, then)
  })

for (const qty of ['1.50', '0.10', '100.50', '1.000000000', '007', '2'])
  test(`the text of a quantity is kept: ${qty}`, () => {
    const request = { ...nothing, body: { ...mint, qty } }
    const { input, problems } = parseInput(operations.postTokenizationMint, request)
    assert.deepEqual(problems, [])
    assert.equal((input.body as { qty: string }).qty, qty)
  })

test('a mint is refused only with the statuses of the specification', () => {
  for (const name of ['postTokenizationMint', 'postTokenizationMintBroker'] as const)
    for (const error of operations[name].errors)
      assert.ok([400, 401, 403, 422].includes(errors[error].status), `${error} of ${name}`)
})

test('the four enumerations are named schemas of the OpenAPI document', () => {
  const { components, paths } = openApi({ version: '1', url: 'http://localhost' }) as Json
  const { TokenizationRequest, ...named } = components.schemas
  for (const [field, name, values] of [
    ['type', 'TokenizationRequestType', ['mint', 'redeem']],
    ['status', 'TokenizationRequestStatus', ['pending', 'rejected', 'completed']],
    ['network', 'TokenizationNetwork', undefined],
    ['issuer', 'TokenizationIssuer', undefined],
  ] as const) {
    const $ref = `#/components/schemas/${name}`
    assert.equal(TokenizationRequest.properties[field].$ref, $ref)
    const filters: Json[] = paths['/v2/tokenization/requests'].get.parameters
    assert.equal(filters.find((one) => one.name === field).schema.$ref, $ref)
    if (values) assert.deepEqual(named[name].enum, values)
  }
  assert.ok(named.TokenizationNetwork.enum.includes('solana'))
  // Operators can register issuers with custom names.
  assert.ok(named.TokenizationIssuer.anyOf[0].enum.includes('xstocks'))
})

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openApi } from '@quipu/contract'
import { call, openTestServer } from '../testing/server.ts'
import { oauthHandlers } from './oauth.ts'
import { REDIRECT, registerTestApp } from './testing/apps.ts'

const lenient = await openTestServer({ handlers: oauthHandlers })
const strict = await openTestServer({ handlers: oauthHandlers, settings: { strictClientLookup: true } })
after(() => Promise.all([lenient.close(), strict.close()]))
const apps = new Map([
  [lenient, await registerTestApp(lenient.world)],
  [strict, await registerTestApp(strict.world, { settings: { isNative: true } })],
])

const lookUp = (server: typeof lenient, query: string, key = server.partnerKey) =>
  call(server, `GET /v1/oauth/clients/${apps.get(server)!.clientId}?${query}`, { key })

const redirect = encodeURIComponent(REDIRECT)
const rows: readonly (readonly [query: string, problem: string | undefined])[] = [
  ['', undefined],
  [`response_type=code&redirect_uri=${redirect}&scope=trading%20data`, undefined],
  ['response_type=token&scope=general', undefined],
  [`redirect_uri=${encodeURIComponent(REDIRECT.replace('8080', '9999'))}`, undefined],
  ['response_type=id_token', 'response_type: expected code or token'],
  ['response_type=', undefined],
  ['response_type=code&response_type=code', 'response_type: expected code or token'],
  [`response_type=${'x'.repeat(5000)}`, 'response_type: expected code or token'],
  ['redirect_uri=https%3A%2F%2Felsewhere.example', 'redirect_uri is invalid'],
  [`redirect_uri=${'x'.repeat(3000)}`, 'redirect_uri is invalid'],
  [`redirect_uri=${redirect}&redirect_uri=${redirect}`, 'redirect_uri is invalid'],
  ['scope=everything', 'scope is invalid'],
  ['scope=tokenization', 'scope is invalid'],
  [`scope=${'x'.repeat(2000)}`, 'scope is invalid'],
  ['redirect_uri=x&scope=x&response_type=x', 'redirect_uri is invalid'],
]
for (const [query, problem] of rows) {
  const shown = query.slice(0, 60)
  test(`"${shown}" is not checked by default`, async () => {
    const plain = await lookUp(lenient, '')
    const { status, body } = await lookUp(lenient, query)
    assert.deepEqual([status, body], [200, plain.body])
  })

  test(`with strict lookups, "${shown}": ${problem ?? 200}`, async () => {
    const { status, body } = await lookUp(strict, query)
    assert.deepEqual([status, body.message], problem === undefined ? [200, undefined] : [422, problem])
  })
}

test('with strict lookups, a caller without access to the app gets no details', async () => {
  const { status, body } = await lookUp(strict, 'scope=everything', strict.key)
  assert.deepEqual([status, body.message], [401, 'unauthorized.'])
  const unknown = await call(strict, `GET /v1/oauth/clients/${'0'.repeat(32)}?scope=everything`, {
    key: strict.partnerKey,
  })
  assert.equal(unknown.status, 401)
})

test('OpenAPI declares no format for the three parameters', () => {
  const { parameters } = (openApi({ version: '', url: '' }) as never)['paths'][
    '/v1/oauth/clients/{client_id}'
  ]['get']
  const of = (name: string) => (parameters as { name: string }[]).find((one) => one.name === name)
  for (const name of ['response_type', 'redirect_uri', 'scope'])
    assert.deepEqual((of(name) as { schema?: object } | undefined)?.schema, { type: 'string' }, name)
})

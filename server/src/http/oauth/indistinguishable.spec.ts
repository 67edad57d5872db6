import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, test } from 'node:test'
import { execute, issueKey, type KeyPair } from '@quipu/broker/access/issue-keys.ts'
import { openTestServer } from '../testing/server.ts'
import { oauthHandlers } from './oauth.ts'
import { REDIRECT, registerTestApp } from './testing/apps.ts'

const server = await openTestServer({ handlers: oauthHandlers })
after(() => server.close())
const { world, partnerKey, accountId } = server
const app = await registerTestApp(world)
const other = await registerTestApp(world)
const disabled = await registerTestApp(world)
const publicApp = await registerTestApp(world, { settings: { isPublic: true } })
const [owner] = world.view.partners.keys()
const { partnerId } = await execute(world, { kind: 'addPartner', name: 'a stranger' }, 'partnerAdded')
const stranger = await issueKey(world, { kind: 'partner', partnerId, operator: false })
await world.commands.submit(
  { kind: 'changeAppStatus', partnerId: owner!, clientId: disabled.clientId, status: 'disabled' },
  () => undefined,
)

/** Every byte of a response except the time and the request id. */
function responseBytes(method: string, path: string, key: KeyPair, body?: object): Promise<string> {
  const headers = { 'apca-api-key-id': key.keyId, 'apca-api-secret-key': key.secretKey }
  return new Promise((resolve, reject) => {
    const sent = request(server.url + path, { method, headers }, async (response) => {
      const chunks: Buffer[] = []
      for await (const chunk of response) chunks.push(chunk)
      const lines = [`${response.statusCode} ${response.statusMessage}`]
      for (let at = 0; at < response.rawHeaders.length; at += 2) {
        const name = response.rawHeaders[at]!
        const isUnique = /^(date|x-request-id|x-ratelimit-reset)$/i.test(name)
        lines.push(`${name}: ${isUnique ? '*' : response.rawHeaders[at + 1]}`)
      }
      resolve([...lines, '', Buffer.concat(chunks).toString('utf8')].join('\n'))
    })
    sent.on('error', reject)
    sent.end(body && JSON.stringify(body))
  })
}

const right = {
  client_id: app.clientId,
  client_secret: app.secret,
  redirect_uri: REDIRECT,
  scope: 'trading',
  account_id: accountId,
}
const wrong = { redirect_uri: 'nowhere', scope: 'everything', account_id: 'nobody', code_challenge: 7 }

const wrongApps: readonly (readonly [string, object, KeyPair])[] = [
  ['an unknown app', { ...right, client_id: '0'.repeat(32) }, partnerKey],
  ['a malformed id', { ...right, client_id: 'no id' }, partnerKey],
  ['no id', { ...right, client_id: undefined }, partnerKey],
  ['an id of another type', { ...right, client_id: 7 }, partnerKey],
  ['a wrong secret', { ...right, client_secret: 'a guess' }, partnerKey],
  ['an empty secret', { ...right, client_secret: '' }, partnerKey],
  ['no secret', { ...right, client_secret: undefined }, partnerKey],
  ['a secret of another type', { ...right, client_secret: [] }, partnerKey],
  ["another app's secret", { ...right, client_secret: other.secret }, partnerKey],
  ['a disabled app', { ...right, client_id: disabled.clientId, client_secret: disabled.secret }, partnerKey],
  ['a public app', { ...right, client_id: publicApp.clientId, client_secret: '' }, partnerKey],
  ["an app that is not the caller's", right, stranger],
]

for (const path of ['/v1/oauth/authorize', '/v1/oauth/token'])
  test(`every wrong app gets the same response at ${path}, byte for byte, whatever else is wrong`, async () => {
    const [, first, key] = wrongApps[0]!
    const expected = await responseBytes('POST', path, key, first)
    assert.match(expected, /^401 Unauthorized\n/)
    for (const [name, body, caller] of wrongApps) {
      assert.equal(await responseBytes('POST', path, caller, body), expected, name)
      assert.equal(
        await responseBytes('POST', path, caller, { ...body, ...wrong }),
        expected,
        `${name}, other fields wrong too`,
      )
    }
  })

test('an unknown app and an app of another partner get the same response', async () => {
  const shown = (id: string, key: KeyPair) => responseBytes('GET', `/v1/oauth/clients/${id}`, key)
  const expected = await shown('0'.repeat(32), partnerKey)
  assert.match(expected, /^401 Unauthorized\n/)
  assert.equal(await shown(app.clientId, stranger), expected)
  assert.equal(await shown('no-id', partnerKey), expected)
  assert.equal(await shown(disabled.clientId, stranger), expected)
})

test('report the CPU time of each wrong app; no time is asserted', async (t) => {
  const ROUNDS = 10
  const costs = wrongApps.map((): number[] => [])
  for (let round = 0; round < ROUNDS; round++)
    for (const [at, [, body, key]] of wrongApps.entries()) {
      const before = process.cpuUsage()
      await responseBytes('POST', '/v1/oauth/token', key, body)
      const { user, system } = process.cpuUsage(before)
      costs[at]!.push(user + system)
    }
  for (const [index, [name]] of wrongApps.entries()) {
    const median = costs[index]!.sort((a, b) => a - b)[ROUNDS / 2]
    t.diagnostic(`${name}: ${median} µs of CPU, the median of ${ROUNDS}`)
  }
})

import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import { openPartnerStage } from './testing/partners.ts'

// Two partners, each with a customer. A partner may not name the customer of the other, nor learn that the user exists.
const stage = await openPartnerStage()
after(() => stage.server.close())
const { server, key, otherPartner, send } = stage

async function addUser(name: string, account?: string): Promise<string> {
  const body = { name, account_ids: account === undefined ? [] : [account] }
  const made = await send('POST /sim/v1/worlds/lab/users', body, server.operatorKey)
  assert.equal(made.status, 201)
  return made.body.user_id
}
const otherAccount = (await send('POST /v1/accounts', { flavour: 'live' }, otherPartner)).body.id
const former = await stage.openAccount()
const ours = { name: 'Ours', id: await addUser('Ours', await stage.openAccount()) }
const foreign = { name: 'Foreign', id: await addUser('Foreign', otherAccount) }
const unattached = { name: 'Unattached', id: await addUser('Unattached') }
const left = { name: 'Left', id: await addUser('Left', former) }
await send(`POST /v1/accounts/${former}/actions/close`)
const nobody = { name: 'Nobody at all', id: '00000000-0000-4000-8000-000000000000' }

const app = (await send('POST /v1/oauth/clients', { name: 'App', redirect_uri: ['https://app.example'] }))
  .body
const patch = `PATCH /v1/oauth/clients/${app.client_id}`

/** The whole response except the request id and the times. */
async function responseText(route: string, body: unknown): Promise<string> {
  const [method, path] = route.split(' ')
  const headers = { 'apca-api-key-id': key.keyId, 'apca-api-secret-key': key.secretKey }
  const init = { method: method!, headers, body: JSON.stringify(body) }
  const response = await fetch(`${server.url}${path}`, init)
  const changing = ['date', 'x-request-id', 'x-ratelimit-reset']
  const stable = [...response.headers].filter(([name]) => !changing.includes(name))
  return JSON.stringify([response.status, stable, await response.text()])
}

const naming: readonly (readonly [string, (user: string) => object, status: number])[] = [
  ['POST /v1/accounts', (user) => ({ user }), 404],
  [
    'POST /v1/oauth/clients',
    (developer) => ({ name: 'B', redirect_uri: ['https://b.example'], developer }),
    422,
  ],
  [patch, (developer) => ({ developer }), 422],
]
for (const [route, body, status] of naming)
  for (const by of ['name', 'id'] as const) {
    test(`${route}: a user of another partner looks like an unknown user, by ${by}`, async () => {
      const { seq } = server.world.view
      const none = await responseText(route, body(nobody[by]))
      assert.equal(JSON.parse(none)[0], status)
      for (const user of [foreign, unattached, left])
        assert.equal(await responseText(route, body(user[by])), none)
      assert.equal(server.world.view.seq, seq, 'a refused request changes nothing')
    })
  }

test('a partner sends back the developer that an operator chose, and changes the rest', async () => {
  await send(patch, { developer: foreign.id }, server.operatorKey)
  const same = await send(patch, { developer: foreign.id, description: 'new' })
  assert.deepEqual([same.status, same.body.developer, same.body.description], [200, foreign.id, 'new'])
  assert.equal((await send(patch, { developer: foreign.name })).status, 422)
  assert.equal((await send(patch, { developer: null })).body.developer, null)
  assert.equal((await send(patch, { developer: foreign.id })).status, 422)
})

// Runs last: an operator who opens an account for a user makes the user a customer of the partner.
for (const [route, body] of naming)
  for (const by of ['name', 'id'] as const)
    test(`${route}: a partner names its own users, and an operator any user, by ${by}`, async () => {
      assert.ok((await send(route, body(ours[by]))).status < 300)
      for (const user of [ours, foreign, unattached])
        assert.ok((await send(route, body(user[by]), server.operatorKey)).status < 300)
    })

import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import { openPartnerStage } from './testing/partners.ts'

// Two partners, each with a customer. Neither may name the other's, nor learn that they exist.
const stage = await openPartnerStage()
after(() => stage.server.close())
const { server, key, otherPartner, ask } = stage

async function person(name: string, account?: string): Promise<string> {
  const body = { name, account_ids: account === undefined ? [] : [account] }
  const made = await ask('POST /sim/v1/worlds/lab/users', body, server.operatorKey)
  assert.equal(made.status, 201)
  return made.body.user_id
}
const theirs = (await ask('POST /v1/accounts', { flavour: 'live' }, otherPartner)).body.id
const former = await stage.opened()
const ours = { name: 'Ours', id: await person('Ours', await stage.opened()) }
const foreign = { name: 'Foreign', id: await person('Foreign', theirs) }
const unattached = { name: 'Unattached', id: await person('Unattached') }
const left = { name: 'Left', id: await person('Left', former) }
await ask(`POST /v1/accounts/${former}/actions/close`)
const nobody = { name: 'Nobody at all', id: '00000000-0000-4000-8000-000000000000' }

const app = (await ask('POST /v1/oauth/clients', { name: 'App', redirect_uri: ['https://app.example'] })).body
const patch = `PATCH /v1/oauth/clients/${app.client_id}`

/** Everything of an answer that a caller can see, but the number of the request and the time. */
async function bytes(route: string, body: unknown): Promise<string> {
  const [method, path] = route.split(' ')
  const headers = { 'apca-api-key-id': key.keyId, 'apca-api-secret-key': key.secretKey }
  const init = { method: method!, headers, body: JSON.stringify(body) }
  const answer = await fetch(`${server.url}${path}`, init)
  const changing = ['date', 'x-request-id', 'x-ratelimit-reset']
  const seen = [...answer.headers].filter(([name]) => !changing.includes(name))
  return JSON.stringify([answer.status, seen, await answer.text()])
}

const naming: readonly (readonly [string, (who: string) => object, status: number])[] = [
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
    test(`${route}: a partner cannot tell a foreign person from nobody, by ${by}`, async () => {
      const { seq } = server.world.view
      const none = await bytes(route, body(nobody[by]))
      assert.equal(JSON.parse(none)[0], status)
      for (const who of [foreign, unattached, left]) assert.equal(await bytes(route, body(who[by])), none)
      assert.equal(server.world.view.seq, seq, 'something was changed')
    })
  }

test('a partner sends back the developer that an operator chose, and changes the rest', async () => {
  await ask(patch, { developer: foreign.id }, server.operatorKey)
  const same = await ask(patch, { developer: foreign.id, description: 'new' })
  assert.deepEqual([same.status, same.body.developer, same.body.description], [200, foreign.id, 'new'])
  assert.equal((await ask(patch, { developer: foreign.name })).status, 422)
  assert.equal((await ask(patch, { developer: null })).body.developer, null)
  assert.equal((await ask(patch, { developer: foreign.id })).status, 422)
})

// An operator who opens an account for someone makes them a person of the partner: this comes last.
for (const [route, body] of naming)
  for (const by of ['name', 'id'] as const)
    test(`${route}: a partner names a person of its own, and an operator anyone, by ${by}`, async () => {
      assert.ok((await ask(route, body(ours[by]))).status < 300)
      for (const who of [ours, foreign, unattached])
        assert.ok((await ask(route, body(who[by]), server.operatorKey)).status < 300)
    })

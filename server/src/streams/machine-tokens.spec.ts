import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { KeyId } from '@quipu/core'
import { issueKey, type KeyPair } from '../access/issue-keys.ts'
import { call } from '../http/testing/server.ts'
import { Client, openStage } from './testing/sockets.ts'

const stage = await openStage()
after(() => stage.close())
const [partnerId] = stage.world.view.partners.keys()

const post = (path: string, { keyId, secretKey }: KeyPair, form: Record<string, string>) =>
  call(stage, `POST ${path}`, {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ client_id: keyId, client_secret: secretKey, ...form }).toString(),
  })

/** A partner's key, a token of it, and a client of market data that came in by the token. */
async function entered() {
  const key = await issueKey(stage.world, { kind: 'partner', partnerId: partnerId!, operator: false })
  const { body } = await post('/v1/oauth2/token', key, { grant_type: 'client_credentials' })
  const client = await Client.open(`${stage.wsUrl}/v2/iex`)
  await client.next()
  const told = await client.ask({ action: 'auth', key: 'oauth', secret: body.access_token })
  assert.deepEqual(told, [{ T: 'success', msg: 'authenticated' }])
  return { key, token: body.access_token as string, client }
}

test('a key that is withdrawn closes what its tokens opened', async () => {
  const { key, client } = await entered()
  const other = await entered()
  await stage.world.submit({ kind: 'revokeKey', keyId: key.keyId as KeyId }, () => undefined)
  await client.closed
  assert.deepEqual(await other.client.rest(), [])
  await other.client.leave()
})

test('a token that is given up closes what it opened', async () => {
  const { key, token, client } = await entered()
  const { status } = await post('/v1/oauth2/revoke', key, { token })
  assert.equal(status, 200)
  await client.closed
})

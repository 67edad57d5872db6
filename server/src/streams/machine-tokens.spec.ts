import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { issueKey, type KeyPair } from '@quipu/broker/access/issue-keys.ts'
import type { KeyId } from '@quipu/core'
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

/** Creates a partner key, a token of the key, and a market-data client that authenticates with the token. */
async function openClient() {
  const key = await issueKey(stage.world, { kind: 'partner', partnerId: partnerId!, operator: false })
  const { body } = await post('/v1/oauth2/token', key, { grant_type: 'client_credentials' })
  const client = await Client.open(`${stage.wsUrl}/v2/iex`)
  await client.next()
  const response = await client.request({ action: 'auth', key: 'oauth', secret: body.access_token })
  assert.deepEqual(response, [{ T: 'success', msg: 'authenticated' }])
  return { key, token: body.access_token as string, client }
}

test('revoking a key closes the streams of its tokens', async () => {
  const { key, client } = await openClient()
  const other = await openClient()
  await stage.world.commands.submit({ kind: 'revokeKey', keyId: key.keyId as KeyId }, () => undefined)
  await client.closed
  assert.deepEqual(await other.client.rest(), [])
  await other.client.leave()
})

test('revoking a token closes its streams', async () => {
  const { key, token, client } = await openClient()
  const { status } = await post('/v1/oauth2/revoke', key, { token })
  assert.equal(status, 200)
  await client.closed
})

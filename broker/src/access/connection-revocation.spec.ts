import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { found, type KeyId } from '@quipu/core'
import { issueTestToken, registerTestApp } from '@quipu/server/http/oauth/testing/apps.ts'
import { advance, Client, dataClient, openStage, type Stage } from '@quipu/server/streams/testing/sockets.ts'
import { digestOf } from './credentials.ts'
import { execute, issueKey } from './issue-keys.ts'
import {
  assertClosed,
  credentialsOf,
  dataStream,
  exchange,
  ofAccount,
  ofPartner,
  owner,
  type Scene,
  scene,
  tokenOf,
} from './testing/connections.ts'

const ofApps: readonly (readonly [string, (scene: Scene) => Promise<unknown>])[] = [
  [
    'the app revokes its token',
    ({ submit, app, token }) =>
      submit({ kind: 'revokeAppToken', ...credentialsOf(app), token: digestOf(token) }),
  ],
  [
    'a partner revokes the token',
    (at) => at.submit({ kind: 'revokeToken', ...owner(at), tokenId: tokenOf(at) }),
  ],
  [
    'a partner revokes the grant',
    (at) => at.submit({ kind: 'revokeGrant', ...owner(at), grantId: at.grant.id }),
  ],
  [
    'the user withdraws consent',
    ({ submit, userId, app }) => submit({ kind: 'withdrawConsent', userId, clientId: app.clientId }),
  ],
  ['the app is disabled', (at) => at.submit({ kind: 'changeAppStatus', ...owner(at), status: 'disabled' })],
  [
    'the app is disabled among other changes',
    (at) => at.submit({ kind: 'changeApp', ...owner(at), change: { status: 'disabled', name: 'Late' } }),
  ],
  ['the app is deleted', (at) => at.submit({ kind: 'deleteApp', ...owner(at) })],
  [
    'the account gets another owner',
    ({ submit, stage }) => submit({ kind: 'assignAccount', accountId: stage.accountId }),
  ],
  [
    'the account is closed',
    ({ submit, stage }) => submit({ kind: 'closeAccount', accountId: stage.accountId, empty: true }),
  ],
  ['the user is disabled', ({ submit, userId }) => submit({ kind: 'changeUser', userId, disabled: true })],
  [
    'the code is used again',
    ({ submit, app, code }) => submit({ ...exchange(app, code), token: digestOf('another') }),
  ],
]

for (const [what, end] of ofApps)
  test(`when ${what}, all connections of the app are closed, and no others`, async (t) => {
    const at = await scene(t)
    const opened = await ofAccount(at.stage, at.token)
    const other = await dataClient(at.stage, '/v2/iex', at.stage.otherKey)
    await end(at)
    await assertClosed(opened)
    assert.deepEqual(await other.rest(), [])
  })

test('when a token expires, all connections of the app are closed', async (t) => {
  const at = await scene(t, 60)
  const opened = await ofAccount(at.stage, at.token)
  await advance(at.stage, 2)
  await assertClosed(opened)
})

/** Signs the user in with a browser, and returns the token of a page. */
/** The last column: whether a stream that authenticated with the key itself stays open. */
const ofMachines: readonly (readonly [
  string,
  (stage: Stage, keyId: KeyId, token: string) => Promise<unknown>,
  'stays open' | 'is closed',
])[] = [
  [
    'its key is revoked',
    ({ world }, keyId) => execute(world, { kind: 'revokeKey', keyId }, 'keyRevoked'),
    'is closed',
  ],
  [
    'its token is revoked',
    ({ world }, keyId, token) =>
      execute(world, { kind: 'revokeMachineToken', keyId, token: digestOf(token) }, 'machineTokenRevoked'),
    'stays open',
  ],
  ['its token expires', (stage) => advance(stage, 16), 'stays open'],
]

for (const [what, end, keyStream] of ofMachines)
  test(`when ${what}, all connections of the machine token are closed, and the key's stream ${keyStream}`, async (t) => {
    const { stage } = await scene(t)
    const [partnerId] = stage.world.view.partners.keys()
    const key = await issueKey(stage.world, {
      kind: 'partner',
      partnerId: found(partnerId, 'the partner'),
      operator: true,
    })
    const keyId = key.keyId as KeyId
    const token = randomUUID()
    await execute(
      stage.world,
      { kind: 'issueMachineToken', keyId, token: digestOf(token) },
      'machineTokenIssued',
    )
    const opened = await ofPartner(stage, token)
    const byKey = await dataClient(stage, '/v2/iex', key)
    await end(stage, keyId, token)
    await assertClosed(opened)
    if (keyStream === 'is closed') await assertClosed([{ what: 'the stream of the key', over: byKey.closed }])
    else assert.equal((await byKey.rest()).length, 0)
  })

test('the streams of all apps of an account share a limit; those of its keys have a separate one', async (t) => {
  const stage = await openStage({ streamsMax: 1 })
  t.after(stage.close)
  const { world, accountId } = stage
  const newToken = async () => issueTestToken(world, await registerTestApp(world), accountId, 'data')
  await dataStream(stage, await newToken())
  const second = await Client.open(`${stage.wsUrl}/v2/iex`)
  await second.next()
  const [refused] = await second.request({ action: 'auth', key: 'oauth', secret: await newToken() })
  assert.deepEqual([refused.code, refused.msg], [406, 'connection limit exceeded'])
  await dataClient(stage, '/v2/iex')
})

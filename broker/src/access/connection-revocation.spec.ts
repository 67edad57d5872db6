import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Command, found, type Grant, type KeyId, type TokenId, type UserId } from '@quipu/core'
import {
  consentTestCode,
  issueTestToken,
  REDIRECT,
  registerTestApp,
  type TestApp,
} from '@quipu/server/http/oauth/testing/apps.ts'
import { readingHandlers } from '@quipu/server/http/reading/index.ts'
import { accountEventHandlers } from '@quipu/server/http/trading/events.ts'
import { advance, Client, dataClient, openStage, type Stage } from '@quipu/server/streams/testing/sockets.ts'
import { digestOf } from './credentials.ts'
import { execute, issueKey } from './issue-keys.ts'

/** Long enough for any machine; the awaited event happens far sooner, or never. */
const TIMEOUT_MS = 10_000

type Opened = { readonly what: string; readonly over: Promise<unknown> }

async function dataStream(stage: Stage, token: string): Promise<Opened> {
  const client = await Client.open(`${stage.wsUrl}/v2/iex`)
  await client.next()
  const response = await client.request({ action: 'auth', key: 'oauth', secret: token })
  assert.deepEqual(response, [{ T: 'success', msg: 'authenticated' }])
  return { what: 'the data stream', over: client.closed }
}

async function tradeUpdates(stage: Stage, token: string): Promise<Opened> {
  const client = await Client.open(`${stage.wsUrl}/stream`)
  const response = await client.request({ action: 'authenticate', data: { oauth_token: token } })
  assert.equal(response.data.status, 'authorized')
  return { what: 'the trade updates', over: client.closed }
}

/** A response that stays open; resolves once its head has arrived. */
async function openResponse(stage: Stage, token: string, path: string): Promise<Opened> {
  const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' }
  const response = await fetch(stage.url + path, { headers })
  assert.equal(response.status, 200)
  return { what: path, over: response.text() }
}

const ofAccount = (stage: Stage, token: string) =>
  Promise.all([
    dataStream(stage, token),
    tradeUpdates(stage, token),
    openResponse(stage, token, '/v2/events/trades'),
  ])
const ofPartner = (stage: Stage, token: string) =>
  Promise.all([
    dataStream(stage, token),
    openResponse(stage, token, `/sim/v1/worlds/${stage.world.id}/events`),
  ])

async function assertClosed(opened: readonly Opened[]): Promise<void> {
  for (const { what, over } of opened) {
    const late = sleep(TIMEOUT_MS, 'late', { ref: false })
    assert.notEqual(await Promise.race([over.then(() => 'over'), late]), 'late', `${what} was not closed`)
  }
}

/** A user with an account, an app with the user's consent, and an unrelated app. */
type Scene = {
  readonly stage: Stage
  readonly userId: UserId
  readonly app: TestApp
  readonly code: string
  readonly token: string
  readonly grant: Grant
  readonly submit: (command: Command) => Promise<void>
}

async function scene(t: { after(run: () => Promise<void>): void }, tokenSeconds?: number): Promise<Scene> {
  const stage = await openStage({}, { handlers: { ...accountEventHandlers, ...readingHandlers } })
  t.after(stage.close)
  const { world, accountId } = stage
  const app = await registerTestApp(world, tokenSeconds ? { settings: { tokenSeconds } } : {})
  const code = await consentTestCode(world, app, accountId, { scope: 'trading data' })
  const token = randomUUID()
  await execute(world, { ...exchange(app, code), token: digestOf(token) }, 'codeExchanged')
  const userId = found(world.view.accounts.get(accountId)?.userId, 'the user')
  const [grant] = world.view.grants.values()
  const submit = async (command: Command) => {
    const { value } = await world.commands.submit(command, (_, decided) => decided)
    assert.ok(value.ok && value.value.length > 0, `${command.kind} did nothing`)
  }
  return { stage, userId, app, code, token, grant: found(grant, 'the grant'), submit }
}

const credentialsOf = ({ clientId, secret }: TestApp) => ({ clientId, secret: digestOf(secret) })

const exchange = (app: TestApp, code: string) =>
  ({ kind: 'exchangeCode', ...credentialsOf(app), redirectUri: REDIRECT, code: digestOf(code) }) as const

const owner = ({ stage, app: { clientId } }: Scene) => {
  const [partnerId] = stage.world.view.partners.keys()
  return { partnerId: found(partnerId, 'the partner'), clientId }
}
const tokenOf = ({ grant }: Scene): TokenId => found(grant.tokens[0], 'the token')

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
async function session(
  { stage, userId, submit }: Scene,
  kind: 'account' | 'operator',
  lastsMs = 3_600_000,
  rightsMs = lastsMs,
): Promise<{ readonly token: string; readonly digest: ReturnType<typeof digestOf> }> {
  const { world, accountId } = stage
  const digest = digestOf(randomUUID())
  const nowMs = Date.now()
  if (kind === 'operator') await submit({ kind: 'changeUser', userId, operator: true })
  await submit({ kind: 'signIn', by: { userId }, session: digest, nowMs, endsAtMs: nowMs + lastsMs })
  if (kind === 'operator')
    await submit({ kind: 'raiseOperatorRights', session: digest, nowMs, untilMs: nowMs + rightsMs })
  const token = randomBytes(32).toString('base64url')
  const [partnerId] = world.view.partners.keys()
  const of = { world, digest, session: found(world.view.sessions.get(digest), 'the session') }
  const shared = { world, credentialId: randomUUID(), session: { world, digest, id: of.session.id } }
  const rights = { operator: true, auditor: false }
  const caller =
    kind === 'account'
      ? ({ kind: 'account', ...shared, accountId } as const)
      : ({ kind: 'partner', ...shared, ...rights, partnerId: found(partnerId, 'x') } as const)
  stage.services.worlds.access.credentials.sessionTokens.issue(digestOf(token), of, caller, nowMs)
  return { token, digest }
}

type Signed = Scene & { readonly digest: ReturnType<typeof digestOf> }
const ofSessions: readonly (readonly [string, 'account' | 'operator', (scene: Signed) => Promise<void>])[] = [
  ['the user signs out', 'account', ({ submit, digest }) => submit({ kind: 'signOut', session: digest })],
  [
    'the user is disabled',
    'operator',
    ({ submit, userId }) => submit({ kind: 'changeUser', userId, disabled: true }),
  ],
  [
    'the user is no operator any more',
    'operator',
    ({ submit, userId }) => submit({ kind: 'changeUser', userId, operator: false }),
  ],
  [
    'the session drops its operator rights',
    'operator',
    ({ submit, digest }) => submit({ kind: 'dropOperatorRights', session: digest }),
  ],
  [
    'the password is changed',
    'account',
    ({ submit, userId }) => submit({ kind: 'changeUser', userId, password: 'x' }),
  ],
  [
    'the account gets another owner',
    'account',
    ({ submit, stage }) => submit({ kind: 'assignAccount', accountId: stage.accountId }),
  ],
]

for (const [what, kind, end] of ofSessions)
  test(`when ${what}, the ${kind} connections of the user's pages are closed`, async (t) => {
    const at = await scene(t)
    const { token, digest } = await session(at, kind)
    const opened = await (kind === 'account' ? ofAccount : ofPartner)(at.stage, token)
    await end({ ...at, digest })
    await assertClosed(opened)
  })

for (const [kind, lastsMs] of [['account', 2_000] as const, ['operator', 3_600_000] as const])
  test(`when the ${kind} rights of a page expire by the machine's clock, its connections are closed`, async (t) => {
    const at = await scene(t)
    const { token } = await session(at, kind, lastsMs, 2_000)
    await assertClosed(await (kind === 'account' ? ofAccount : ofPartner)(at.stage, token))
  })

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

test('while a world restarts no connection is closed, and nothing fails', async (t) => {
  const { stage, userId, submit, token, ...at } = await scene(t)
  const { token: pageToken } = await session({ stage, userId, submit, token, ...at }, 'account')
  const { credentials } = stage.services.worlds.access
  const callers = [token, pageToken].map((one) => found(credentials.byToken(one, 'paper'), 'the caller'))
  await stage.world.close()
  assert.equal(stage.world.status.isUp, false)
  for (const caller of callers) assert.equal(credentials.isValid(caller, Date.now()), true)
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

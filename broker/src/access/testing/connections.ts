import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Command, found, type Grant, type TokenId, type UserId } from '@quipu/core'
import {
  consentTestCode,
  REDIRECT,
  registerTestApp,
  type TestApp,
} from '@quipu/server/http/oauth/testing/apps.ts'
import { readingHandlers } from '@quipu/server/http/reading/index.ts'
import { accountEventHandlers } from '@quipu/server/http/trading/events.ts'
import { Client, openStage, type Stage } from '@quipu/server/streams/testing/sockets.ts'
import { digestOf } from '../credentials.ts'
import { execute } from '../issue-keys.ts'

/** Long enough for any machine; the awaited event happens far sooner, or never. */
const TIMEOUT_MS = 10_000

type Opened = { readonly what: string; readonly over: Promise<unknown> }

export async function dataStream(stage: Stage, token: string): Promise<Opened> {
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

export const ofAccount = (stage: Stage, token: string) =>
  Promise.all([
    dataStream(stage, token),
    tradeUpdates(stage, token),
    openResponse(stage, token, '/v2/events/trades'),
  ])
export const ofPartner = (stage: Stage, token: string) =>
  Promise.all([
    dataStream(stage, token),
    openResponse(stage, token, `/sim/v1/worlds/${stage.world.id}/events`),
  ])

export async function assertClosed(opened: readonly Opened[]): Promise<void> {
  for (const { what, over } of opened) {
    const late = sleep(TIMEOUT_MS, 'late', { ref: false })
    assert.notEqual(await Promise.race([over.then(() => 'over'), late]), 'late', `${what} was not closed`)
  }
}

/** A user with an account, an app with the user's consent, and an unrelated app. */
export type Scene = {
  readonly stage: Stage
  readonly userId: UserId
  readonly app: TestApp
  readonly code: string
  readonly token: string
  readonly grant: Grant
  readonly submit: (command: Command) => Promise<void>
}

export async function scene(
  t: { after(run: () => Promise<void>): void },
  tokenSeconds?: number,
): Promise<Scene> {
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

export const credentialsOf = ({ clientId, secret }: TestApp) => ({ clientId, secret: digestOf(secret) })

export const exchange = (app: TestApp, code: string) =>
  ({ kind: 'exchangeCode', ...credentialsOf(app), redirectUri: REDIRECT, code: digestOf(code) }) as const

export const owner = ({ stage, app: { clientId } }: Scene) => {
  const [partnerId] = stage.world.view.partners.keys()
  return { partnerId: found(partnerId, 'the partner'), clientId }
}
export const tokenOf = ({ grant }: Scene): TokenId => found(grant.tokens[0], 'the token')

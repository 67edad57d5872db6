import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AccountId, Flavour, KeyId, PartnerId, TokenId, WorldId } from '@quipu/core'
import { type AccountCaller, type Caller, digestOf } from './credentials.ts'
import { furnish, issueKey, openAccount } from './furnish.ts'
import { openMemoryJournal } from './journal/memory.ts'
import { syntheticMarket } from './market/synthetic.ts'
import { REDIRECT, registerTestApp, type TestApp } from './oauth-testing.ts'
import { decided, MONDAY, plainSettings } from './testing.ts'
import { openMemoryViews } from './views/memory.ts'
import type { World } from './world.ts'
import { Worlds } from './worlds.ts'

const failed = (_: WorldId, error: unknown) => assert.fail(String(error))

const openWorlds = (): Promise<Worlds> =>
  Worlds.open(
    {
      market: syntheticMarket,
      runJob: async () => undefined,
      queueMax: 1000,
      viewsLagMax: 1000,
      viewsWaitMs: 1000,
      worldsMax: 10,
      failed,
    },
    {
      settings: plainSettings,
      store: {
        openJournal: async () => openMemoryJournal(),
        openViews: openMemoryViews,
        snapshot: async () => undefined,
      },
      durable: false,
    },
  )

type Scene = {
  readonly worlds: Worlds
  readonly world: World
  readonly partnerId: PartnerId
  readonly paper: AccountId
  readonly live: AccountId
  readonly app: TestApp
}

async function scene(t: { after(run: () => Promise<void>): void }): Promise<Scene> {
  const worlds = await openWorlds()
  t.after(() => worlds.close())
  const { world } = await worlds.create('lab' as WorldId, plainSettings, MONDAY)
  const cash = plainSettings.startingCash
  const { partnerId, accounts } = await furnish(world, { accounts: ['paper'], cash })
  const live = await openAccount(world, { flavour: 'live', partnerId, cash })
  const app = await registerTestApp(world)
  return { worlds, world, partnerId, paper: accounts[0]!.account.id, live: live.id, app }
}

const accountOf = (caller: Caller | undefined): AccountId | undefined =>
  caller?.kind === 'account' ? caller.accountId : undefined

const askOf = ({ partnerId, app, paper }: Scene, accountId: AccountId = paper) => ({
  partnerId,
  clientId: app.clientId,
  secret: digestOf(app.secret),
  redirectUri: REDIRECT,
  scope: 'trading',
  accountId,
})

async function issue(
  made: Scene,
  token: string,
  accountId?: AccountId,
  world = made.world,
): Promise<TokenId> {
  const command = { kind: 'issueToken', ...askOf(made, accountId), token: digestOf(token) } as const
  assert.ok((await decided(world, command)).ok)
  return world.view.tokenDigests.get(digestOf(token))!
}

for (const [holds, asked, then] of [
  ['paper', 'paper', 'paper'],
  ['paper', 'live', undefined],
  ['live', 'live', 'live'],
  ['live', 'paper', 'live'],
] as const satisfies readonly (readonly [Flavour, Flavour, Flavour | undefined])[])
  test(`a token of a ${holds} account, where ${asked} is asked for: ${then ?? 'nobody'}`, async (t) => {
    const made = await scene(t)
    const tokenId = await issue(made, 'secret', made[holds])
    const caller = made.worlds.credentials.byToken('secret', asked) as AccountCaller | undefined
    assert.equal(caller?.accountId, then && made[then])
    if (!caller) return
    assert.equal(caller.world, made.world)
    assert.equal(caller.credentialId, tokenId)
    assert.deepEqual([...caller.scopes!], ['trading'])
  })

test('a token nobody issued, a digest and an empty one lead to nobody', async (t) => {
  const made = await scene(t)
  await issue(made, 'secret')
  for (const token of ['other', digestOf('secret'), ''])
    assert.equal(made.worlds.credentials.byToken(token, 'paper'), undefined)
})

test('a revoked token leads to nobody; so do those of a disabled app until it is enabled', async (t) => {
  const made = await scene(t)
  const { world, partnerId, worlds } = made
  const { clientId } = made.app
  const tokenId = await issue(made, 'one')
  await issue(made, 'two')
  const who = (token: string) => accountOf(worlds.credentials.byToken(token, 'paper'))
  await decided(world, { kind: 'revokeToken', partnerId, tokenId })
  assert.deepEqual([who('one'), who('two')], [undefined, made.paper])
  await decided(world, { kind: 'changeAppStatus', partnerId, clientId, status: 'disabled' })
  assert.equal(who('two'), undefined)
  await decided(world, { kind: 'changeAppStatus', partnerId, clientId, status: 'active' })
  assert.equal(who('two'), made.paper)
})

test('an app and a code lead to their world, however the id is spelled', async (t) => {
  const made = await scene(t)
  const { credentials } = made.worlds
  const { clientId } = made.app
  const spelled = clientId.toUpperCase().replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  assert.equal(credentials.worldOfApp(clientId), made.world)
  assert.equal(credentials.worldOfApp(spelled), made.world)
  assert.equal(credentials.worldOfApp('0'.repeat(32)), undefined)
  await decided(made.world, { kind: 'authorizeApp', ...askOf(made), code: digestOf('code') })
  assert.equal(credentials.worldOfCode('code'), made.world)
  assert.equal(credentials.worldOfCode('another'), undefined)
})

test("a fork keeps to its own: the parent's credentials go on entering the parent", async (t) => {
  const made = await scene(t)
  const { worlds, world, paper } = made
  const { credentials } = worlds
  const key = await issueKey(world, { kind: 'account', accountId: paper })
  const tokenId = await issue(made, 'before')
  await decided(world, { kind: 'authorizeApp', ...askOf(made), code: digestOf('before') })
  const fork = (await worlds.fork(worlds.place('lab')!, 'fork' as WorldId)).world
  await issue(made, 'in the fork', paper, fork)
  await decided(fork, { kind: 'authorizeApp', ...askOf(made), code: digestOf('in the fork') })
  const entered = () => [
    credentials.byKey(key.keyId, key.secretKey)?.world,
    credentials.byToken('before', 'paper')?.world,
    credentials.worldOfCode('before'),
    credentials.worldOfApp(made.app.clientId),
    credentials.byToken('in the fork', 'paper')?.world,
    credentials.worldOfCode('in the fork'),
  ]
  assert.deepEqual(entered(), [world, world, world, world, fork, fork])
  // What the parent revokes is gone, though the fork still has it.
  await decided(world, { kind: 'revokeToken', partnerId: made.partnerId, tokenId })
  await decided(world, { kind: 'revokeKey', keyId: key.keyId as KeyId })
  assert.equal(credentials.byToken('before', 'paper'), undefined)
  assert.equal(credentials.byKey(key.keyId, key.secretKey), undefined)
  await worlds.delete('fork' as WorldId)
  assert.deepEqual(entered().slice(2), [world, world, undefined, undefined])
})

test('a token that stays is found whatever comes and goes beside it', async (t) => {
  const made = await scene(t)
  const { worlds, world, partnerId, paper } = made
  await issue(made, 'kept')
  for (let round = 0; round < 200; round++) {
    const tokenId = await issue(made, `${round}`)
    await decided(world, { kind: 'revokeToken', partnerId, tokenId })
    assert.equal(worlds.credentials.byToken(`${round}`, 'paper'), undefined)
  }
  assert.equal(accountOf(worlds.credentials.byToken('kept', 'paper')), paper)
})

import assert from 'node:assert/strict'
import type { AccountId, PartnerId, UserId, WorldId } from '@quipu/core'
import { registerTestApp, type TestApp } from '@quipu/server/http/oauth/testing/apps.ts'
import { openMemoryJournal } from '../../journal/memory.ts'
import { syntheticMarket } from '../../market/synthetic/synthetic.ts'
import { openMemoryQueryTables } from '../../query-tables/memory.ts'
import { openServer, type Worlds } from '../../registry/worlds.ts'
import { MONDAY, plainSettings } from '../../world/testing/world.ts'
import type { World } from '../../world/world.ts'
import { digestOf } from '../credentials.ts'
import { execute, openAccount, seedWorld } from '../issue-keys.ts'

const failed = (_: WorldId, error: unknown) => assert.fail(String(error))

const openWorlds = (): Promise<Worlds> =>
  openServer(
    {
      market: syntheticMarket,
      runJob: async () => undefined,
      queueMax: 1000,
      queryTablesLagMax: 1000,
      queryTablesWaitMs: 1000,
      worldsMax: 10,
      failed,
    },
    {
      settings: plainSettings,
      store: {
        openJournal: async () => openMemoryJournal(),
        openQueryTables: openMemoryQueryTables,
        snapshot: async () => undefined,
      },
      durable: false,
    },
  )

/** For tests: a world beside `main` with a paper and a live account, and an app. */
export type Scene = {
  readonly worlds: Worlds
  readonly world: World
  readonly partnerId: PartnerId
  readonly paper: AccountId
  readonly live: AccountId
  readonly app: TestApp
}

export async function scene(t: { after(run: () => Promise<void>): void }): Promise<Scene> {
  const worlds = await openWorlds()
  t.after(() => worlds.close())
  const { world } = await worlds.lifecycle.create('lab' as WorldId, plainSettings, MONDAY)
  world.access.hasOperators = true
  const cash = plainSettings.startingCash
  const { partnerId, accounts } = await seedWorld(world, { accounts: ['paper'], cash })
  const live = await openAccount(world, { flavour: 'live', partnerId, cash })
  const app = await registerTestApp(world, { liveTradingApproved: true })
  return { worlds, world, partnerId, paper: accounts[0]!.account.id, live: live.id, app }
}

/** Adds a user who owns the accounts of the scene and has signed in with this cookie. */
export async function signInUser(
  { world, paper, live }: Scene,
  cookie: string,
  { operator = false, endsAtMs = ENDS_AT_MS } = {},
): Promise<UserId> {
  const { userId } = await execute(
    world,
    { kind: 'addUser', name: cookie, password: 'a slow digest', operator },
    'userAdded',
  )
  for (const accountId of [paper, live])
    await execute(world, { kind: 'assignAccount', accountId, userId }, 'accountAssigned')
  const session = digestOf(cookie)
  await execute(world, { kind: 'signIn', by: { userId }, session, nowMs: NOW_MS, endsAtMs }, 'signedIn')
  if (operator)
    await execute(
      world,
      { kind: 'raiseOperatorRights', session, nowMs: NOW_MS, untilMs: RIGHTS_UNTIL_MS },
      'operatorRightsRaised',
    )
  return userId
}

/** On the machine's clock, independent of the time in the world. */
export const NOW_MS = 1_800_000_000_000
export const ENDS_AT_MS = NOW_MS + 3_600_000
export const RIGHTS_UNTIL_MS = ENDS_AT_MS - 60_000

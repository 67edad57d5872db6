import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type AccountId,
  type Money,
  type PartnerId,
  type SendBookTransfer,
  USD,
  type WorldId,
} from '@quipu/core'
import { execute, openAccount, seedWorld } from '../../access/issue-keys.ts'
import { emptyFolder } from '../../journal/testing/journal.ts'
import { syntheticMarket } from '../../market/synthetic/synthetic.ts'
import { amount, MONDAY, plainSettings } from '../../world/testing/world.ts'
import type { World } from '../../world/world.ts'
import type { AskWorld } from '../ask-world.ts'
import { durableFiles } from '../store/durable-files.ts'
import { filesStore } from '../store/main-store.ts'
import { ledgerOf } from '../world-response.ts'
import { openServer, type Worlds, type WorldsParts } from '../worlds.ts'

const cash = plainSettings.startingCash

/** A server with a data folder: `main` with two partners, and durable worlds that a test adds. */
export async function openDurableWorlds(t: TestContext, more: Partial<WorldsParts> = {}) {
  const folder = emptyFolder()
  // While it is true, no world can be asked.
  const network = { isDown: false }
  const worlds = await openFolder(t, folder, network, more)
  const { partnerId, accounts } = await seedWorld(worlds.main, { accounts: ['paper'], cash })
  const { partnerId: stranger } = await execute(
    worlds.main,
    { kind: 'addPartner', name: 'stranger' },
    'partnerAdded',
  )
  const foreign = await openAccount(worlds.main, { flavour: 'paper', partnerId: stranger, cash })
  const add = (name: string, partner: PartnerId = partnerId, isDurable = true) =>
    addWorld(worlds, name as WorldId, { partner, isDurable })
  const reopen = async (): Promise<Worlds> => {
    await worlds.close()
    // The pause after a failed request is over, so that the request is made while the worlds are opened.
    await sleep(1500)
    return openFolder(t, folder)
  }
  return {
    worlds,
    reopen,
    network,
    add,
    partnerId,
    stranger,
    account: accounts[0]!.account.id,
    foreign: foreign.id,
  }
}

type Network = { isDown: boolean }

/** With a network, the worlds ask each other through it. */
async function openFolder(
  t: TestContext,
  folder: string,
  network?: Network,
  more: Partial<WorldsParts> = {},
): Promise<Worlds> {
  const durable = durableFiles(folder)
  const askWorld: AskWorld = async (world, request) => {
    if (network?.isDown) throw new Error('the network is down')
    return worlds.holding.answer(world, request)
  }
  const worlds: Worlds = await openServer(
    {
      market: syntheticMarket,
      runJob: async () => undefined,
      queueMax: 1000,
      queryTablesLagMax: 1000,
      queryTablesWaitMs: 1000,
      worldsMax: 10,
      durable,
      durableWorldsMax: 10,
      failed: (_, error) => assert.fail(String(error)),
      ...(network && { askWorld }),
      ...more,
    },
    {
      settings: plainSettings,
      store: filesStore(folder, { warn: () => undefined, recovered: () => undefined }),
      durable: true,
      records: await durable.list(),
    },
  )
  t.after(() => worlds.close())
  return worlds
}

type Added = { readonly world: World; readonly accountId: AccountId }

async function addWorld(
  worlds: Worlds,
  name: WorldId,
  creating: { readonly partner: PartnerId; readonly isDurable: boolean },
): Promise<Added> {
  let accountId: AccountId | undefined
  const complete = async (world: World) => {
    const { accounts } = await seedWorld(world, { accounts: ['paper'], cash })
    accountId = accounts[0]!.account.id
  }
  const { world } = await worlds.lifecycle.create(name, plainSettings, MONDAY, { ...creating, complete })
  return { world, accountId: accountId! }
}

/** Sends dollars to an account of another world, and returns the id of the book transfer. */
export async function send(
  worlds: Worlds,
  { world, accountId: from }: Added,
  toWorld: string,
  to: AccountId,
  dollars = '10',
): Promise<string> {
  const command: SendBookTransfer = {
    kind: 'sendBookTransfer',
    from,
    to,
    toWorld: toWorld as WorldId,
    ledgerId: ledgerOf(worlds.entry(world.id)!)!,
    what: { kind: 'cash', amount: amount(dollars) as bigint as Money },
  }
  const { value } = await world.commands.submit(command, (_, decision) => decision)
  assert.ok(value.ok)
  const [event] = value.value
  assert.equal(event?.kind, 'bookTransferSent')
  await world.commands.quiet()
  return event.kind === 'bookTransferSent' ? event.bookTransfer.id : ''
}

/** The dollars of an account above those that it started with. */
export function gainOf({ world, accountId }: Added): bigint {
  const settled = world.view.ledger.get(`customer:${accountId}:settled` as never)
  return ((settled?.get(USD) ?? 0n) - cash) / 1_000_000_000n
}

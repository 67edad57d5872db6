import { after, describe, test } from 'node:test'
import type { Broker } from '../support/broker.ts'
import { hasAllCases } from '../support/cases.ts'
import { Random, seed } from '../support/random.ts'
import { assertRecords, untilHealthy, WorldClients } from './clients.ts'
import { startNode, untilHeld } from './nodes.ts'
import { type Loss, Patroni } from './patroni.ts'

/** Minutes of waiting, so only in `npm run test:long` or with CASES=all. */
const skip = hasAllCases ? false : 'only in npm run test:long'
const WORLDS = 2
const PAUSE_MS = 100

describe('PostgreSQL under Patroni, as the cluster guide shows it', { skip, timeout: 1_800_000 }, () => {
  if (skip) return
  let patroni: Patroni
  const nodes: Broker[] = []
  const kill = async () => {
    for (const node of nodes.splice(0)) await node.kill()
  }
  after(async () => {
    await kill()
    await patroni?.stop()
  })

  test('etcd, Patroni and PostgreSQL start with the files of the guide', async () => {
    patroni = await Patroni.start()
  })

  const ways = [
    ['several hosts in QUIPU_STORE', () => patroni.severalHosts()],
    ['a host behind HAProxy', () => patroni.behindHaproxy()],
  ] as const
  const faults = [
    ['a planned switchover', () => patroni.switchover()],
    ['the loss of the leader', () => withoutLeader('machine')],
    ['a leader whose Patroni is lost and that runs on', () => withoutLeader('patroni')],
  ] as const
  let lost: Parameters<Patroni['restore']>[0] | undefined
  const withoutLeader = async (loss: Loss) => {
    lost = await patroni.loseLeader(loss)
  }

  for (const [way, storeOf] of ways)
    test(`no acknowledged request is lost or doubled, with ${way} (SEED=${seed})`, async (t) => {
      const store = storeOf()
      for (let count = 0; count < 2; count += 1) nodes.push(await startNode(store))
      await untilHeld(nodes[0]!, 'main')
      const load = new WorldClients({
        random: new Random(seed, way),
        urls: () => nodes.map(({ url }) => url),
        pauseMs: PAUSE_MS,
      })
      const clients = await Promise.all(
        Array.from({ length: WORLDS }, (_, index) => load.create(nodes[0]!, `${way.slice(0, 1)}-${index}`)),
      )
      const running = clients.flatMap((client) => [load.trade(client), load.read(client)])
      for (const one of running) one.catch(() => undefined)
      for (const [name, run] of faults)
        await t.test(name, async () => {
          await run()
          await untilHealthy(nodes, clients)
          if (lost) await patroni.restore(lost)
          lost = undefined
          await patroni.untilHealthy()
        })
      load.isOver = true
      await Promise.all(running)
      for (const client of clients) await assertRecords(client)
      await kill()
    })
})

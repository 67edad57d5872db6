import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Body, type Broker, callAsOperator, newFolder } from '../support/broker.ts'
import { command } from '../support/quipu-command.ts'
import { waitUntil } from '../support/wait-until.ts'
import { CLUSTER_SECRET, openDatabase, startNode, untilHeld } from './nodes.ts'

const { database, store, nodes } = await openDatabase('backups')

const get = async (node: Broker, path: string): Promise<Body> =>
  (await callAsOperator(node, 'GET', `/sim/v1/${path}`)).body

/** The age of the last backup in the metrics of a node. */
async function ageAt({ url }: Broker): Promise<number> {
  const headers = { Authorization: `Bearer ${CLUSTER_SECRET}` }
  const text = await (await fetch(`${url}/metrics`, { headers })).text()
  return Number(/^quipu_backup_age_seconds (\S+)$/m.exec(text)?.[1])
}

test('every node knows a backup that was made beside another one', async () => {
  const [holder, other] = [await startNode(store), await startNode(store)]
  nodes.push(holder, other)
  await untilHeld(holder, 'main')
  const backupCheck = async (node: Broker) =>
    (await get(node, 'doctor')).checks.find(({ check }: Body) => check === 'backup').ok
  assert.equal(await backupCheck(other), false)

  const folder = join(newFolder(), 'monday')
  const env = { QUIPU_STORE: store }
  const { code, stderr } = await command(['store', 'backup', folder, '--data', other.dataFolder!], { env })
  assert.equal(code, 0, stderr)
  for (const node of [holder, other]) {
    assert.equal(await backupCheck(node), true, node.url)
    assert.equal((await get(node, 'worlds/main/store')).last_backup.folder, folder)
    assert.deepEqual(
      (await get(node, 'backups')).map((one: Body) => one.folder),
      [folder],
    )
  }

  const old = `jsonb_set(record::jsonb, '{at}', '"2026-01-01T00:00:00.000Z"')::text`
  await database.run(`UPDATE quipu_backups SET record = ${old}`, store)
  for (const node of [holder, other])
    await waitUntil('the metrics have the age of the noted backup', async () => (await ageAt(node)) > 86_400)
})

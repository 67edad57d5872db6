import assert from 'node:assert/strict'
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { version } from '../../broker/src/data-folder/version.ts'
import { Cluster } from '../../broker/src/postgres/testing/server.ts'
import { type Body, type Broker, callAsOperator } from '../support/broker.ts'
import { program, sourceProgram } from '../support/program.ts'
import { command } from '../support/quipu-command.ts'
import { waitUntil } from '../support/wait-until.ts'
import { simulateClock } from './faulty-cluster.ts'
import { startNode, untilHeld } from './nodes.ts'

const NEWER = '99.0.0'

/** A copy of the bundled program that has another version. It is beside the bundle, where it finds the libraries. */
function newerProgram(): string {
  const from = dirname(program)
  const to = join(dirname(from), `${from.split('/').at(-1)}-newer`)
  cpSync(from, to, { recursive: true })
  after(() => rmSync(to, { recursive: true, force: true }))
  for (const file of globSync('**/*.{js,cjs,mjs}', { cwd: to })) {
    const path = join(to, file)
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(`"${version}"`, `"${NEWER}"`))
  }
  return join(to, program.slice(from.length + 1))
}

test('quipu doctor on real nodes: another version, a clock that is off, and a world without a node', {
  skip: program === sourceProgram && 'needs the bundle of npm test',
}, async (t) => {
  const database = await Cluster.start()
  t.after(() => database.stop())
  await database.run(simulateClock)
  const store = database.url()
  const [one, newer] = [await startNode(store), await startNode(store, [], {}, undefined, newerProgram())]
  t.after(() => Promise.all([one, newer].map((node) => node.kill())))
  await untilHeld(one, 'main')
  const problemsAt = async (node: Broker, check: string): Promise<readonly string[]> => {
    const { body } = await callAsOperator(node, 'GET', '/sim/v1/doctor')
    return body.checks.flatMap((one: Body) => (one.check === check && !one.ok ? [one.detail] : []))
  }
  for (const node of [one, newer])
    assert.deepEqual(await problemsAt(node, 'versions'), [
      `the node ${one.url} has version ${version}, another ${NEWER}`,
    ])

  await database.run(`UPDATE clock SET ahead = '90 s'`)
  assert.deepEqual(await problemsAt(one, 'clock'), ['the clock of the database is 90 s ahead'])
  await database.run(`UPDATE clock SET ahead = '0'`)
  await untilHeld(one, 'main')

  // The node that stays does not claim the world, because it is drained.
  const path = `/sim/v1/cluster/nodes/${encodeURIComponent(newer.url)}/drain`
  assert.equal((await callAsOperator(one, 'POST', path, {})).status, 200)
  await one.kill()
  const env = { QUIPU_STORE: store }
  const leases = await waitUntil('the lease of main is over', async () => {
    const { stdout } = await command(['doctor', '--json', '--data', newer.dataFolder!], { env })
    return JSON.parse(stdout).checks.find(({ check, ok }: Body) => check === 'leases' && !ok)
  })
  assert.match(leases.detail, /^main is held by (no node|.* which does not run)/)
  assert.equal(leases.fix, `quipu cluster drain ${newer.url} --undo`)
})
